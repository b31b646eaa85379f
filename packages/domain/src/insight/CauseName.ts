/** The name of a cause that a person understands: what failed, where, and how many tests. */
import type { Exception } from "./CauseFacts.ts"
import { partsOf } from "./NameNearness.ts"
import * as Failure from "../failure/Failure.ts"

/**
 * The facts that a name is made of.
 *
 * **Details**
 *
 * - `testNames`: of the tests of the cause, one at least; `tests`: how many it has, when not all are given.
 * - `exception`: what most of the failures say, null when they differ. `frame`: the place in own code where they fail, where known.
 */
export interface Named {
  readonly isOutage: boolean
  readonly testNames: ReadonlyArray<string>
  readonly tests: number
  readonly exception: Exception | null
  readonly frame: string | null
}

/**
 * The name of a cause, at most some 200 characters.
 *
 * @example
 * ```ts
 * import { CauseName } from "@lazaret/domain"
 *
 * CauseName.of({
 *   isOutage: false,
 *   testNames: ["tests/net/a.spec > connects", "tests/net/b.spec > sends"],
 *   tests: 2,
 *   exception: { exceptionType: "TimeoutError", message: "no answer after 5 s" },
 *   frame: "client.connect"
 * })
 * // => "TimeoutError in `client.connect`, 2 tests of tests/net"
 * ```
 */
export const of = ({ frame, isOutage, exception, testNames, tests }: Named): string => {
  const what = exception === null ? "different messages" : whatOf(exception, frame)
  const where = tests === 1 ? `\`${shortened(testNames[0] ?? "", 80)}\`` : `${tests} tests${placeOf(testNames)}`
  return `${isOutage ? "Outage: " : ""}${what}, ${where}`
}

const whatOf = ({ exceptionType, message }: Exception, frame: string | null): string => {
  const text = Failure.normalise(message ?? "")
  const type = shortType(exceptionType) ?? typeIn(text)
  if (type === null) return text === "" ? "failure without a message" : `“${shortened(text, 60)}”`
  if (frame !== null) return `${type} in \`${shortened(frame, 60)}\``
  const rest = text.replace(leadingType, "")
  return rest === "" ? type : `${type}: ${shortened(rest, 60)}`
}

/** The last part of the name of a type, null for one that says nothing. */
const shortType = (type: string | null): string | null => {
  const last = (type ?? "").split(/[.:$\\]/u).at(-1) ?? ""
  return last === "" || last === "unknown" || last === "Error" ? null : shortened(last, 40)
}

const leadingType = /^(?:[\w.$]*\.)?([A-Z]\w*(?:Error|Exception|Failure|Timeout|Warning|Refused))\b[:\s]*/u

const typeIn = (text: string): string | null => leadingType.exec(text)?.[1] ?? null

/** The folder, file or class that at least four of five tests share, with the separators of the first of them. */
const placeOf = (names: ReadonlyArray<string>): string => {
  const paths = names.slice(0, mostNames).map(partsOf)
  let start: ReadonlyArray<string> = []
  for (;;) {
    const next = mostFrequentNext(paths, start)
    if (next === null || next.count < 0.8 * paths.length) break
    start = [...start, next.part]
  }
  if (start.length === 0) return ""
  const name = names.find((_, index) => begins(paths[index] ?? [], start)) ?? ""
  return ` of ${shortened(textUpTo(name, start), 80)}`
}

/** More names would not change the place that they share. */
const mostNames = 1000

const begins = (path: ReadonlyArray<string>, start: ReadonlyArray<string>): boolean =>
  start.every((part, index) => path[index] === part)

/** The most frequent part that follows, of names that go on after it. */
const mostFrequentNext = (
  paths: ReadonlyArray<ReadonlyArray<string>>,
  start: ReadonlyArray<string>
): { readonly part: string; readonly count: number } | null => {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const part = path.length > start.length + 1 && begins(path, start) ? path[start.length] : undefined
    if (part !== undefined) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  return [...counts].reduce<{ readonly part: string; readonly count: number } | null>(
    (found, [part, count]) => (found === null || count > found.count ? { part, count } : found),
    null
  )
}

/** A name up to the end of the last of some parts at its start. */
const textUpTo = (name: string, parts: ReadonlyArray<string>): string =>
  name.slice(
    0,
    parts.reduce((end, part) => name.indexOf(part, end) + part.length, 0)
  )

const shortened = (text: string, most: number): string => {
  const points = Array.from(text.slice(0, 2 * most))
  return points.length <= most ? points.join("") : `${points.slice(0, most - 1).join("")}…`
}
