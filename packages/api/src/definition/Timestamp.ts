/** Points in time on the wire: ISO 8601 text. */
import { Instant } from "@lazaret/domain"
import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

/**
 * The instant that an ISO 8601 text names; none for any other text, and for a time before 1970 or after the year 9999.
 *
 * **Details**
 *
 * - The date is a calendar date, an ordinal date (`2026-031`) or a week date (`2026-W05-6`), extended or basic.
 * - The time has hours, and optionally minutes and seconds; its last part may have a fraction. Digits after the
 *   milliseconds are cut. Hours from 24 and seconds from 60 (leap seconds) are refused.
 * - Without an offset the time is UTC. A date without a time names a day and no instant, and is refused.
 */
export const parse = (text: string): Option.Option<Instant.Instant> => {
  const groups = pattern.exec(text)?.groups
  if (groups === undefined) return Option.none()
  const at = Option.map(dayOf(groups), (day) => day + timeOf(groups) - offsetOf(groups))
  return Option.filter(at, Schema.is(Instant.Instant))
}

type Groups = { readonly [name: string]: string | undefined }

const date =
  "(?<year>\\d{4})(?:(?<dash>-?)(?<month>\\d{2})\\k<dash>(?<day>\\d{2})|-?(?<ordinal>\\d{3})|-?W(?<week>\\d{2})-?(?<weekday>[1-7]))"

const clock =
  "(?<hour>[01]\\d|2[0-3])(?:(?<colon>:?)(?<minute>[0-5]\\d)(?:\\k<colon>(?<second>[0-5]\\d))?)?(?:[.,](?<fraction>\\d+))?"

const offset = "(?:[Zz]|(?<sign>[+-])(?<offsetHour>[01]\\d|2[0-3])(?::?(?<offsetMinute>[0-5]\\d))?)?"

const pattern = new RegExp(`^${date}[Tt]${clock}${offset}$`, "u")

/** The start of the day, none for a day that does not exist. */
const dayOf = ({ day, month, ordinal, week, weekday, year = "" }: Groups): Option.Option<Instant.Instant> => {
  if (month !== undefined) return existing(utc(year, Number(month) - 1, Number(day)), `${year}-${month}-${day}`)
  const first = utc(year, 0, 1)
  if (ordinal !== undefined) {
    const at = first + (Number(ordinal) - 1) * Instant.day
    return yearOf(at) === year ? Option.some(at) : Option.none()
  }
  // Week 1 is the week of 4 January, and the week that holds a Thursday belongs to the year of that Thursday.
  const fourth = utc(year, 0, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * Instant.day
  const start = monday + (Number(week) - 1) * 7 * Instant.day
  if (week === "00" || yearOf(start + 3 * Instant.day) !== year) return Option.none()
  return Option.some(start + (Number(weekday) - 1) * Instant.day)
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
const utc = (year: string, month: number, day: number): Instant.Instant =>
  new Date(0).setUTCFullYear(Number(year), month, day)

const existing = (at: Instant.Instant, text: string): Option.Option<Instant.Instant> =>
  new Date(at).toISOString().slice(0, 10) === text ? Option.some(at) : Option.none()

const yearOf = (at: Instant.Instant): string => new Date(at).toISOString().slice(0, 4)

/** The milliseconds since the start of the day. A fraction belongs to the last part that is given. */
const timeOf = ({ fraction = "", hour, minute, second }: Groups): number => {
  const whole =
    Number(hour) * Instant.hour + Number(minute ?? 0) * Instant.minute + Number(second ?? 0) * Instant.second
  if (second !== undefined) return whole + Number(fraction.slice(0, 3).padEnd(3, "0"))
  const unit = minute === undefined ? Instant.hour : Instant.minute
  return whole + Math.trunc(Number(`0.${fraction}0`) * unit)
}

const offsetOf = ({ offsetHour, offsetMinute, sign }: Groups): number =>
  sign === undefined
    ? 0
    : Number(`${sign}1`) * (Number(offsetHour) * Instant.hour + Number(offsetMinute ?? 0) * Instant.minute)

/** The rule for the texts that {@link parse} takes. */
export const rule = "must be an ISO 8601 date and time from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"

const refusal = `${rule}, such as 2026-01-31T12:00:00Z (in a URL a \`+\` is written %2B)`

const transformation = SchemaTransformation.transformEffect({
  decode: (text: string, options) =>
    Option.match(parse(text), {
      onNone: () => Effect.fail(new SchemaIssue.InvalidValue({ message: refusal }, text, options)),
      onSome: Effect.succeed
    }),
  encode: (at: Instant.Instant) => Effect.succeed(Instant.toIso(at))
})

const instant = (text: Schema.String) => text.pipe(Schema.decodeTo(Schema.Number, transformation))

/** An instant: milliseconds since the Unix epoch behind the wire, ISO 8601 text with milliseconds and `Z` on it. */
export const Timestamp = instant(
  Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T12:00:00.000Z"] })
)

/** An instant in a query, described. */
export const parameter = (description: string, example: string) =>
  instant(Schema.String.annotate({ format: "date-time", description, examples: [example] }))

/** The bounds of a time window (interface 4). */
export const bounds = {
  start: Schema.optionalKey(
    parameter("The first instant of the window; one day before `end` unless it is given.", "2026-01-30T12:00:00Z")
  ),
  end: Schema.optionalKey(
    parameter(
      "The first instant after the window; one day after `start` if that is given, else now.",
      "2026-01-31T12:00:00Z"
    )
  )
}
