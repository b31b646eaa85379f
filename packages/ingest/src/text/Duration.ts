/** Parses durations of test reports. */

/** One year. A larger number has another unit or is wrong. */
const longest = 366 * 86_400_000

/**
 * The milliseconds of a `time` attribute in seconds; null when it is not a number.
 *
 * **Details**
 *
 * Thousands separators and decimal commas are understood: `1,234.5` is 1234.5 s, `1.234,5` too, `0,5` is half a second,
 * and several commas separate thousands. A lone comma is a decimal comma (`1,234` is 1.234 s: a reporter that groups
 * thousands writes decimals, too). Missing or blank is 0, negative is 0.
 */
export const ofSeconds = (text: string | undefined): number | null => {
  if (text === undefined) return 0
  const plain = Number(text)
  return inMilliseconds(Number.isNaN(plain) ? Number(normalised(text)) : plain, 1000)
}

/** The milliseconds of a number in milliseconds; null when it is not finite. */
export const ofMilliseconds = (value: number): number | null => inMilliseconds(value, 1)

const inMilliseconds = (value: number, factor: number): number | null => {
  const milliseconds = value * factor
  if (!(milliseconds <= longest)) return null
  // Rounds to microseconds, the precision of executions: 0.1 + 0.2 becomes 0.3.
  return milliseconds <= 0 ? 0 : Math.round(milliseconds * 1000) / 1000
}

const normalised = (text: string): string => {
  const digits = text
    .trim()
    .replace(/(?<!\s)\s*s(?:ec(?:onds?)?)?$/i, "")
    .replace(/[\s'_]/g, "")
  const comma = digits.lastIndexOf(",")
  if (comma === -1) return digits || "NaN"
  const isDecimal = digits.includes(".") ? comma > digits.lastIndexOf(".") : digits.indexOf(",") === comma
  return isDecimal
    ? digits.slice(0, comma).replaceAll(".", "").replaceAll(",", "") + "." + digits.slice(comma + 1)
    : digits.replaceAll(",", "")
}
