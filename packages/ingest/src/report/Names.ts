/** Test names within the limit of the interface. */
import { TestId, Text } from "@lazaret/domain"
import * as Excerpt from "../text/Excerpt.ts"

/**
 * A test name of at most `maximum` characters: itself, or its beginning, an ellipsis and the test id of the whole name.
 *
 * **Details**
 *
 * The id keeps names apart that begin alike: a cut name is equal for equal names only. 10,000 is the limit of the
 * interface (interface 8); that a longer name is cut instead of refused is our choice.
 */
export const fit = (name: string, maximum: number): string => {
  if (name.length <= maximum || Text.length(name) <= maximum) return name
  const suffix = `… ${TestId.of(name)}`
  return Excerpt.ofCodePoints(name, maximum - suffix.length) + suffix
}
