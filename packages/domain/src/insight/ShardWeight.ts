/** How long files, classes and tests take, from the recorded durations of tests. */
import { Schema } from "effect"
import type { Unit } from "./ShardPlan.ts"
import * as Steps from "./Steps.ts"

/** The pieces that a list of tests is cut into. */
export const Piece = Schema.Literals(["file", "class", "test"])

/** The pieces that a list of tests is cut into. */
export type Piece = typeof Piece.Type

/** Schema of a given duration: at most a year. */
export const Seconds = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 31_536_000 }))

/** A recorded test: its file, null where reports name none, and how long it takes. */
export interface TimedTest {
  readonly testName: string
  readonly file: string | null
  readonly seconds: number
}

/** Units with their durations, and how many of them have a recorded one. */
export interface Weighed {
  readonly units: ReadonlyArray<Unit>
  readonly known: number
}

/**
 * The duration of each named piece: the sum of its tests, at least {@link least}; for a piece without recorded tests the median of the others.
 *
 * **Details**
 *
 * A test belongs to the file that its report names. Paths may begin at different folders: a path belongs to a piece when one of
 * them ends with the other at a slash and only one piece does. A test without a file, or of a class, belongs to the
 * longest piece that its name begins with, where the slashes of a path count as dots and its extension does not:
 * `tests.test_cart.TestCart.test_adds` belongs to `tests/test_cart.py`. Durations are added in whole microseconds, so that the order of
 * the tests changes nothing.
 *
 * @example
 * ```ts
 * import { ShardWeight } from "@lazaret/domain"
 *
 * const tests = [
 *   { testName: "cart > adds", file: "src/cart.test.ts", seconds: 2 },
 *   { testName: "cart > removes", file: "src/cart.test.ts", seconds: 1 }
 * ]
 * ShardWeight.weigh(["src/cart.test.ts", "src/new.test.ts"], "file", tests)
 * // => { units: [{ name: "src/cart.test.ts", seconds: 3 }, { name: "src/new.test.ts", seconds: 3 }], known: 1 }
 * ```
 */
export const weigh = (names: ReadonlyArray<string>, piece: Piece, tests: Iterable<TimedTest>): Weighed =>
  Steps.finish(weighing(names, piece, tests))

/** The same in steps of some thousand tests. */
export function* weighing(
  names: ReadonlyArray<string>,
  piece: Piece,
  tests: Iterable<TimedTest>
): Steps.Steps<Weighed> {
  const pieceOf = piece === "test" ? byWholeName(names) : piece === "class" ? byNameStart(names) : byPath(names)
  const sums = new Map<string, number>()
  yield* Steps.map(tests, perTest, (test) => {
    const name = pieceOf(test)
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Math.round(test.seconds * 1_000_000))
  })
  const usual = median([...sums.values()])
  return {
    units: names.map((name) => ({ name, seconds: Math.max(least, (sums.get(name) ?? usual) / 1_000_000) })),
    known: names.filter((name) => sums.has(name)).length
  }
}

const perTest = Steps.ofItems(4000)

/**
 * The least seconds of a piece (our choice): the runner loads it, whatever its tests take. Pieces whose tests take no
 * time are spread over all shards.
 */
export const least = 0.01

/** The median of microseconds, of an even number the upper one; a second without values, so that all pieces count alike. */
const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 1_000_000

type PieceOf = (test: TimedTest) => string | undefined

const byWholeName = (names: ReadonlyArray<string>): PieceOf => {
  const all = new Set(names)
  return ({ testName }) => (all.has(testName) ? testName : undefined)
}

const byNameStart = (names: ReadonlyArray<string>): PieceOf => {
  const ends = endsOf(
    names.map((name) => [name, dotted(name).split(".")]),
    "."
  )
  return ({ testName }) =>
    starts(testName)
      .map((start) => ends.get(start))
      .find((name) => name !== undefined)
}

const byPath = (names: ReadonlyArray<string>): PieceOf => {
  const ends = endsOf(
    names.map((name) => [name, partsOf(name)]),
    "/"
  )
  const wholes = new Map(names.map((name) => [partsOf(name).join("/"), name]))
  const ofName = byNameStart(names.map((name) => partsOf(name).join("/")))
  return (test) => {
    if (test.file === null) {
      const path = ofName(test)
      return path === undefined ? undefined : wholes.get(path)
    }
    const parts = partsOf(test.file)
    const ofEnd = ends.get(parts.join("/"))
    if (ofEnd !== undefined) return ofEnd
    for (let from = 1; from < parts.length; from++) {
      const whole = wholes.get(parts.slice(from).join("/"))
      if (whole !== undefined) return whole
    }
    return undefined
  }
}

/** The parts of a path: `./a\\b` and `a/b` have the same ones. */
const partsOf = (path: string): ReadonlyArray<string> =>
  path
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".")

/** A path as a name has it: dots for slashes, without the last extension. A text without slashes stays as it is. */
const dotted = (name: string): string =>
  name.includes("/") ? name.replace(/\.[A-Za-z]+$/u, "").replaceAll("/", ".") : name

/** Each end of a path with the name that alone has it; a whole path wins over the end of a longer one. */
const endsOf = (
  paths: ReadonlyArray<readonly [name: string, parts: ReadonlyArray<string>]>,
  separator: string
): ReadonlyMap<string, string | undefined> => {
  const ends = new Map<string, string | undefined>()
  for (const [name, parts] of paths) {
    for (let from = 1; from < parts.length; from++) {
      const end = parts.slice(from).join(separator)
      ends.set(end, ends.has(end) ? undefined : name)
    }
  }
  for (const [name, parts] of paths) ends.set(parts.join(separator), name)
  return ends
}

/** The starts of a name that end before a separator of its parts, and the name, the longest first. */
const starts = (testName: string): ReadonlyArray<string> => {
  const name = dottedStart(testName.slice(0, longestName))
  const found = [...name.matchAll(/[.:#>›/ ]+/gu)].map(({ index }) => name.slice(0, index))
  return [...found, name].reverse()
}

const longestName = 500

/** A name that begins with a path, such as `src/cart.test.ts › adds`, begins with the dots of {@link dotted}. */
const dottedStart = (name: string): string => {
  const [path = ""] = name.split(/ [›>] |::/u)
  return path.includes("/") ? `${dotted(path)}${name.slice(path.length)}` : name
}
