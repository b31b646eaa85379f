/** How near tests are by their names: folders, files, classes, and the names without their parameters. */

/**
 * A function that yields the nearness of two names by their numbers, from 0 (nothing in common but what all names have) to 1 (the same
 * file, class or parameterised test).
 *
 * **Details**
 *
 * Names are cut at `.`, `/`, `\`, `:`, `#`, `>` and spaces. The first 500 characters and 12 parts are read.
 */
export const of = (names: ReadonlyArray<string>): ((a: number, b: number) => number) => {
  const numbers = new Map<string, number>()
  const paths = names.map((name) => partsOf(name).map((part) => numberOf(numbers, part)))
  const [first = []] = paths
  const common = paths.reduce((shared, path) => Math.min(shared, sharedStart(first, path)), first.length)
  return (a, b) => nearness(paths[a] ?? [], paths[b] ?? [], common)
}

const longest = 500
const mostParts = 12

/** The parts of a name without its parameters; the last one is the test itself. */
export const partsOf = (name: string): ReadonlyArray<string> =>
  name
    .slice(0, longest)
    .replace(/[[({<].*$/su, "")
    .split(/[./\\:#> ]+/u)
    .filter((part) => part !== "")
    .slice(0, mostParts)

const numberOf = (numbers: Map<string, number>, part: string): number => {
  const number = numbers.get(part) ?? numbers.size
  numbers.set(part, number)
  return number
}

const sharedStart = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1
  return shared
}

const nearness = (a: ReadonlyArray<number>, b: ReadonlyArray<number>, common: number): number => {
  const depth = Math.max(a.length, b.length) - 1 - common
  const shared = sharedStart(a, b) - common
  return depth <= 0 ? (shared > 0 ? 1 : 0.5) : Math.min(1, shared / depth)
}
