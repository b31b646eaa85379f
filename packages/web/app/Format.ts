/** Numbers, spans and moments as people read them. */

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** `1234` → "1,234". */
export const number = (value: number): string => count.format(value)

/** "1 test", "2 tests". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

/** A share from 0 to 1: "0 %", "0.4 %", "12 %", "100 %"; never rounded to nothing or to all. */
export const percent = (share: number): string => {
  const value = share * 100
  if (value === 0 || value === 100) return `${value} %`
  if (value < 0.1) return "< 0.1 %"
  if (value > 99.9) return "> 99.9 %"
  return `${value < 10 || value > 99 ? value.toFixed(1).replace(/\.0$/u, "") : Math.round(value)} %`
}

/** A duration in seconds: "340 ms", "1.2 s", "3 min 5 s", "4 h 12 min". */
export const duration = (seconds: number): string => {
  if (seconds === 0) return "0 s"
  if (seconds < 0.0995) return `${(seconds * 1000).toPrecision(2).replace(/\.0$/u, "")} ms`
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 59.95) return `${seconds.toFixed(1).replace(/\.0$/u, "")} s`
  const whole = Math.round(seconds)
  return whole < 3600 ? two(whole, "min", "s") : two(Math.round(whole / 60), "h", "min")
}

/** A number of small units, 60 of which are a large one: "3 min 5 s", "3 min". */
const two = (small: number, largeUnit: string, smallUnit: string): string => {
  const rest = small % 60
  return `${Math.floor(small / 60)} ${largeUnit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`
}

const steps: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
]

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" })

/** How far a moment is from now: "3 hours ago", "in 2 days", "just now". */
export const ago = (at: number, now: number): string => {
  const difference = at - now
  for (const [unit, length] of steps) {
    if (Math.abs(difference) >= length) return relative.format(Math.trunc(difference / length), unit)
  }
  return "just now"
}

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" })

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })

const dateUtc = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })

/** "21 Nov 2026, 14:05" where the reader is. */
export const at = (instant: number): string => moment.format(instant)

const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" })

/** "14:05:33" where the reader is. */
export const clock = (instant: number): string => time.format(instant)

/** "21 Nov" where the reader is. */
export const day = (instant: number): string => date.format(instant)

/** "21 Nov" in UTC: for buckets of whole days, which begin at midnight there. */
export const dayUtc = (instant: number): string => dateUtc.format(instant)

/** The login of a person; of a key the beginning of its id: "octocat", "key 7c3d9e10". */
export const author = (by: string): string => by.replace(/^(key [0-9a-f]{8})-[0-9a-f-]+$/u, "$1")

/** The first eight characters of a commit. */
export const commit = (sha: string): string => sha.slice(0, 12)

/** A sentence of the server with a capital letter. */
export const capitalized = (sentence: string): string => sentence.replace(/^./u, (first) => first.toUpperCase())
