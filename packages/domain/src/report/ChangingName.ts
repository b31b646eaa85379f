/**
 * Test names that change with each run, because they hold an id, a time, a port, an address or a temporary folder (our choice).
 *
 * Numbers and dates alone never count: `adds 2` and `reads 2026-01-31` are stable names of parameterised tests.
 */

/** Stands for a part of a name that changes. */
export const placeholder = "<*>"

/**
 * A name with the parts that no two runs share replaced by `<*>`; null when it has none.
 *
 * **Details**
 *
 * Such parts are UUIDs, times of day with their date, temporary folders, `host:port`, pointers, epoch seconds and milliseconds of
 * 2015 to 2033, and hexadecimal runs of 16 or more characters with a digit. The mask of a mask is null.
 *
 * @example
 * ```ts
 * import { ChangingName } from "@lazaret/domain"
 *
 * ChangingName.mask("takes 0x7f3a91c2") // => "takes <*>"
 * ChangingName.mask("adds 2 to 40") // => null
 * ```
 */
export const mask = (name: string): string | null => {
  if (name.length > longest || !isSuspicious(name) || !/\d/u.test(name)) return null
  const masked = volatile.reduce((text, pattern) => text.replace(pattern, placeholder), name)
  return masked === name ? null : masked
}

/** Names of more characters are not searched. */
const longest = 2000

/**
 * Whether one of the patterns below can match: each needs eight hexadecimal digits in a row, a pointer, a port, a time of day after a
 * date, or a folder of temporary files. A report has 50,000 names, and nearly none of them: reading each of them with every
 * pattern takes as long as recording them.
 */
const isSuspicious = (name: string): boolean => {
  let digits = 0
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index)
    const kind = kinds[code]
    digits = kind === hexadecimal ? digits + 1 : 0
    if (digits === 8 || (kind === beginning && begins(name, index, code))) return true
  }
  return false
}

const [hexadecimal, beginning] = [1, 2]

/** Of each character of ASCII: a hexadecimal digit, one at which another part can begin, or neither. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[\da-f]/iu.test(character)) return hexadecimal
  return "/xX:T_ ".includes(character) ? beginning : 0
})

const begins = (name: string, index: number, code: number): boolean => {
  if (code === slash) return name.startsWith("tmp/", index + 1) || name.startsWith("var/folders/", index + 1)
  if (!isDigit(name.charCodeAt(index + 1))) return (code === lowerX || code === upperX) && name[index - 1] === "0"
  if (code === colon || name[index - 1] === "0") return true
  return isDigit(name.charCodeAt(index - 1)) && name[index - 3] === "-"
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const [slash, colon, upperX, lowerX] = [0x2f, 0x3a, 0x58, 0x78]

const volatile: ReadonlyArray<RegExp> = [
  /(?:\/private)?\/(?:tmp|var\/folders)\/[^\s'"`:;,)\]}›]+/gu,
  /(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/giu,
  /(?<!\d)20\d\d-\d\d-\d\d[T_ ]\d\d[:.-]?\d\d(?:[:.-]?\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?!\d)/gu,
  /(?<![\w.])(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{2,5}(?!\d)/giu,
  /(?<![0-9a-z])0x[0-9a-f]{4,16}(?![0-9a-z])/giu,
  /(?<![\w.])(?:1[4-9]|20)\d{8}(?:\d{3})?(?![\w.])/gu,
  /(?<![0-9a-z])(?=[0-9a-f]*\d)[0-9a-f]{16,}(?![0-9a-z])/giu
]

/** A test that a job has: its name, and how often it ran lately. */
export interface Known {
  readonly testName: string
  readonly executionsCount: number
}

/**
 * Names of a report that changed since the runs before.
 *
 * **Details**
 *
 * - `mask`: what they have in common.
 * - `names`: the names in the report; `gone`: how many names of the same mask ran once, and not in this report.
 */
export interface Change {
  readonly mask: string
  readonly names: ReadonlyArray<string>
  readonly gone: number
}

/**
 * The changes between a report and the tests that its job has, by mask; `known` may hold the report already, or not.
 *
 * **Details**
 *
 * A name of the report counts when it is new (unknown, or it ran once), and a mask counts when at least as many names of it ran
 * once and are gone: tests that were added or removed change nothing.
 */
export const changes = (names: ReadonlyArray<string>, known: ReadonlyArray<Known>): ReadonlyArray<Change> => {
  const counts = new Map(known.map(({ executionsCount, testName }) => [testName, executionsCount]))
  const own = new Set(names)
  const fresh = byMask([...own].filter((name) => (counts.get(name) ?? 0) <= 1))
  const gone = byMask(
    known.flatMap((each) => (each.executionsCount > 1 || own.has(each.testName) ? [] : each.testName))
  )
  return [...fresh].flatMap(([common, found]) => {
    const left = gone.get(common)?.length ?? 0
    return left < found.length ? [] : [{ mask: common, names: found, gone: left }]
  })
}

/** Names by their masks; names without one are left out. */
export const byMask = (names: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const name of names) {
    const common = mask(name)
    if (common === null) continue
    const same = found.get(common)
    if (same === undefined) found.set(common, [name])
    else same.push(name)
  }
  return found
}
