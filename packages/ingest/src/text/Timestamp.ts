/** Parses dates of test reports. */
import { Instant } from "@lazaret/domain"

const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/**
 * The instant of an ISO 8601 text; null when the text is invalid or the instant is out of range.
 *
 * **Details**
 *
 * A text without a zone is read as UTC, so that the result does not depend on the zone of the server (our choice).
 * Digits below the millisecond are dropped.
 */
export const parse = (text: string | undefined): Instant.Instant | null => {
  const match = text === undefined ? null : iso.exec(text.trim())
  if (match === null) return null
  const [, date, time, fraction, zone] = match
  const at = Date.parse(`${date}T${time}${fraction === undefined ? "" : `.${fraction.slice(0, 3)}`}${offset(zone)}`)
  return ofMilliseconds(at)
}

/** The instant of a number of milliseconds since the epoch; null when it is out of range. */
export const ofMilliseconds = (value: number): Instant.Instant | null => {
  const at = Math.floor(value)
  return at > 0 && at <= Instant.latest ? at : null
}

const offset = (zone: string | undefined): string => {
  if (zone === undefined || zone === "Z" || zone === "z") return "Z"
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0")
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
