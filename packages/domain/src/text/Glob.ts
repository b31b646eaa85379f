/**
 * Name patterns: `*` stands for any text, `?` for one character, everything else for itself (interface 4.1.1).
 *
 * There is no escape and no character class: test names are full of brackets and backslashes, and each of them means
 * itself (our choice, see `docs/explanation/what-is-not-specified.md`).
 */

/** Whether a name matches, for a pattern that was compiled once. */
export type Matcher = (name: string) => boolean

/**
 * Whether a pattern matches nothing but its own text.
 *
 * @example
 * ```ts
 * import { Glob } from "@lazaret/domain"
 *
 * Glob.isLiteral("adds [1]") // => true
 * Glob.isLiteral("adds *") // => false
 * ```
 */
export const isLiteral = (pattern: string): boolean => !pattern.includes("*") && !pattern.includes("?")

/**
 * The matcher of a pattern.
 *
 * **Details**
 *
 * A pattern matches the whole name and tells upper from lower case. `*` matches the empty text too, and line breaks;
 * `?` matches exactly one code point, a line break too.
 *
 * The time is at most in proportion to the length of the name times the length of the pattern, whatever both are: no
 * caller can slow the server down with a pattern.
 *
 * @example
 * ```ts
 * import { Glob } from "@lazaret/domain"
 *
 * const matches = Glob.compile("Cart*adds ?")
 * matches("Cart > adds 1") // => true
 * matches("Cart > adds 10") // => false
 * matches("cart > adds 1") // => false
 * ```
 */
export const compile = (pattern: string): Matcher => {
  if (isLiteral(pattern)) return (name) => name === pattern
  return pattern.includes("?") ? stepwise(pattern) : piecewise(pattern)
}

/** A pattern without `?`: the pieces between the stars, each at its leftmost place. */
const piecewise = (pattern: string): Matcher => {
  const pieces = pattern.split("*")
  const first = pieces[0] ?? ""
  const last = pieces.at(-1) ?? ""
  const middle = pieces.slice(1, -1).filter((piece) => piece !== "")
  return (name) =>
    name.startsWith(first) &&
    name.endsWith(last) &&
    includesInOrder(name, middle, first.length, name.length - last.length)
}

const includesInOrder = (name: string, pieces: ReadonlyArray<string>, from: number, to: number): boolean => {
  let at = from
  for (const piece of pieces) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= to
}

const starUnit = 0x2a

const questionUnit = 0x3f

/** A pattern with `?`: most names already lack one of its literal runs, which is found out much faster. */
const stepwise = (pattern: string): Matcher => {
  const runs = pattern.split(/[*?]+/u).filter((run) => run !== "")
  const prefix = pattern.split(/[*?]/u, 1)[0] ?? ""
  const walk = walker(pattern)
  return (name) => name.startsWith(prefix) && includesInOrder(name, runs, 0, name.length) && walk(name)
}

/**
 * One walk over the name, back to the latest star where it fails. Earlier stars need no retry. What a star takes ends
 * where the literal run behind it occurs.
 */
const walker = (pattern: string): Matcher => {
  const runs = runsBehindStars(pattern)
  return (name) => {
    let at = 0
    let next = 0
    let star = -1
    let resume = 0
    while (at < name.length) {
      const symbol = pattern.charCodeAt(next)
      if (symbol === starUnit) {
        star = next++
        resume = at = name.indexOf(runs[star] ?? "", at)
      } else if (symbol === questionUnit) {
        at += width(name, at)
        next += 1
      } else if (symbol === name.charCodeAt(at)) {
        at += 1
        next += 1
      } else {
        // This may step into the middle of a surrogate pair: the rest still counts as one character.
        resume = at = star < 0 ? -1 : name.indexOf(runs[star] ?? "", resume + 1)
        next = star + 1
      }
      if (at < 0) return false
    }
    return onlyStars(pattern, next)
  }
}

/** For each star, by its index, the literal text up to the next wildcard. */
const runsBehindStars = (pattern: string): ReadonlyArray<string> =>
  Array.from({ length: pattern.length }, (_, index) =>
    pattern.charCodeAt(index) === starUnit ? (pattern.slice(index + 1).split(/[*?]/u, 1)[0] ?? "") : ""
  )

/** The UTF-16 units of the code point at an index. */
const width = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

const onlyStars = (pattern: string, from: number): boolean => {
  for (let i = from; i < pattern.length; i++) if (pattern[i] !== "*") return false
  return true
}
