/** Points in time on the wire: RFC 3339 text with a time zone. */
import { Instant } from "@lazaret/domain"
import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

/**
 * The instant of an RFC 3339 date-time, none when the text is no such thing.
 *
 * **Details**
 *
 * A zone is required. Days that their month lacks, hours from 24, and seconds from 60 (leap seconds too) are refused.
 * Digits after the milliseconds are cut.
 */
export const parse = (text: string): Option.Option<Instant.Instant> => {
  const match = pattern.exec(text)
  if (match === null) return Option.none()
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHour, offsetMinute] = match
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999 and carries an excess over: neither gives the same text again.
  if (new Date(local).toISOString().slice(0, 19) !== `${text.slice(0, 10)}T${text.slice(11, 19)}`) return Option.none()
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(offsetHour) * 60 + Number(offsetMinute))
  return Option.some(local + Number(fraction.slice(0, 3).padEnd(3, "0")) - offset * Instant.minute)
}

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/u

const refusal =
  "must be an RFC 3339 date-time with a time zone, such as 2026-01-31T12:00:00Z (in a URL a `+` is written %2B)"

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
