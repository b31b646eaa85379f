/**
 * Bounded stand-ins for names in cursors.
 *
 * A name may be 10,000 characters long (interface 8), and a cursor holds up to four texts, in up to four links of one
 * response header; common clients and servers refuse headers above 16 KiB. So a cursor carries a long name as its first
 * characters and a digest, which finds the name again among the rows.
 */
import { Schema } from "effect"
import { v5 } from "uuid"
import * as Text from "../text/Text.ts"

/** The longest name that is its own mark, and the characters kept of a longer one. */
export const wholeLength = 200

const namespace = "7c8a3b52-93f6-5d6e-8b11-2f4e90d5a6c3"

/** Schema of a mark that arrives from outside. */
export const NameMark = Schema.Union([
  Text.between(1, wholeLength),
  Schema.Struct({ prefix: Text.between(wholeLength, wholeLength), digest: Schema.String.check(Schema.isUUID(5)) })
])

/** The start and the digest of a name that is too long for a cursor. */
export interface Cut {
  readonly prefix: string
  readonly digest: string
}

/** A name, or its stand-in. */
export type NameMark = string | Cut

/**
 * The mark of a name: the name itself up to {@link wholeLength} code points, else its start and digest.
 *
 * @example
 * ```ts
 * import { NameMark } from "@lazaret/domain"
 *
 * NameMark.of("adds") // => "adds"
 * NameMark.isCut(NameMark.of("x".repeat(201))) // => true
 * ```
 */
export const of = (name: string): NameMark => {
  if (Text.length(name) <= wholeLength) return name
  const prefix = Array.from(name.slice(0, 2 * wholeLength))
    .slice(0, wholeLength)
    .join("")
  return { prefix, digest: v5(name, namespace) }
}

/** Whether a mark stands for a name that it does not hold whole. */
export const isCut = (mark: NameMark): mark is Cut => typeof mark !== "string"

/**
 * Compares a name with the name that a mark stands for, in code-point order.
 *
 * **Gotchas**
 *
 * Of two long names with the same start, the mark of one does not tell which is first: the name then counts as the
 * greater one. `TestSort.restore` replaces a mark by its name, so that this does not arise while the name exists.
 *
 * @example
 * ```ts
 * import { NameMark } from "@lazaret/domain"
 *
 * const long = "x".repeat(500)
 * NameMark.compare("a", NameMark.of(long)) // => -1
 * NameMark.compare(long, NameMark.of(long)) // => 0
 * ```
 */
export const compare = (name: string, mark: NameMark): -1 | 0 | 1 => {
  if (!isCut(mark)) return Text.compare(name, mark)
  if (!name.startsWith(mark.prefix)) return Text.compare(name, mark.prefix)
  if (name.length === mark.prefix.length) return -1
  return v5(name, namespace) === mark.digest ? 0 : 1
}
