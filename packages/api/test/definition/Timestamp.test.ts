import { assert, describe, it } from "@effect/vitest"
import { Schemas } from "@lazaret/api"
import { Option } from "effect"
import * as fc from "fast-check"

const { parse } = Schemas.Timestamp

const two = (value: number): string => String(value).padStart(2, "0")

/** The forms of one whole second in UTC that ISO 8601 allows. */
const formsOf = (at: number): ReadonlyArray<string> => {
  const [date = "", clock = ""] = new Date(at).toISOString().slice(0, 19).split("T")
  const year = date.slice(0, 4)
  const day = Math.floor(at / 86_400_000) * 86_400_000
  const ordinal = String((day - Date.parse(`${year}-01-01`)) / 86_400_000 + 1).padStart(3, "0")
  const weekday = ((new Date(day).getUTCDay() + 6) % 7) + 1
  const thursday = day + (4 - weekday) * 86_400_000
  const weekYear = new Date(thursday).toISOString().slice(0, 4)
  const week = two(Math.floor((thursday - Date.parse(`${weekYear}-01-01`)) / (7 * 86_400_000)) + 1)
  const dates = [date, `${year}-${ordinal}`, `${weekYear}-W${week}-${weekday}`]
  const later = new Date(at + 19_800_000).toISOString().slice(0, 19)
  return [
    ...dates.flatMap((each) => [`${each}T${clock}Z`, `${each}T${clock}`, `${each}T${clock}.000+00:00`]),
    ...dates.map((each) => `${each.replaceAll("-", "")}T${clock.replaceAll(":", "")}Z`),
    `${later}+05:30`,
    `${later}+0530`,
    `${date}T${clock},0Z`
  ]
}

describe("Timestamp.parse", () => {
  it("every ISO 8601 form of an instant names that instant", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_370_764_799 }), (second) => {
        for (const form of formsOf(second * 1000)) assert.deepStrictEqual(parse(form), Option.some(second * 1000), form)
      })
    )
  })

  it("seconds and minutes may be left out, and the last part may have a fraction", () => {
    const noon = Date.UTC(2026, 0, 31, 12)
    const table = [
      ["2026-01-31T12", noon],
      ["20260131T12Z", noon],
      ["2026-01-31T12:00Z", noon],
      ["2026-01-31T12:00+01", noon - 3_600_000],
      ["2026-01-31T12.5Z", noon + 1_800_000],
      ["2026-01-31T12:30,25Z", noon + 1_815_000],
      ["2026-01-31T12:00:00.1239Z", noon + 123]
    ] as const
    for (const [text, at] of table) assert.deepStrictEqual(parse(text), Option.some(at), text)
  })

  it("an instant is from 1970 to the end of the year 9999: the first and the last one, and none beyond", () => {
    const table = [
      ["1970-01-01T00:00:00Z", Option.some(0)],
      ["1969-12-31T19:00:00-05:00", Option.some(0)],
      ["9999-12-31T23:59:59.999Z", Option.some(253_402_300_799_999)],
      ["1969-12-31T23:59:59.999Z", Option.none()],
      ["1970-01-01T00:59:59+01:00", Option.none()],
      ["9999-12-31T23:59:59.999-00:01", Option.none()],
      ["1900-01-01T00:00:00Z", Option.none()],
      ["0000-01-01T00:00:00Z", Option.none()]
    ] as const
    for (const [text, at] of table) assert.deepStrictEqual(parse(text), at, text)
  })

  it("a text that names no instant is refused", () => {
    for (const text of [
      "2026-01-31",
      "2026-02-29T00:00Z",
      "2025-366T00:00Z",
      "2025-W53-1T00:00Z",
      "2026-W00-1T00Z",
      "now"
    ]) {
      assert.isTrue(Option.isNone(parse(text)), text)
    }
  })
})
