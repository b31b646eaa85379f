/** Series of durations with known growth: public ones with a reference, and generated ones of noisy jobs. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Instant } from "@lazaret/domain"
import { Schema } from "effect"

/** A growth that an offline method sees with all values: `point` is the index of the first value after it. */
export interface Reference {
  readonly point: number
  readonly kind: "shift" | "weak" | "return"
}

/** The measured values of a series, in seconds, the months that they span, and the growths that are known. */
export interface DurationSeries {
  readonly values: ReadonlyArray<number>
  readonly months: number
  readonly references: ReadonlyArray<Reference>
}

const Line = Schema.Struct({
  series: Schema.Int,
  first: Schema.Int,
  values: Schema.Array(Schema.NullOr(Schema.Finite))
})

const ReferenceLine = Schema.Struct({
  series: Schema.Int,
  point: Schema.Int,
  kind: Schema.Literals(["shift", "weak", "return"])
})

/** The series of a folder (`NAME.jsonl.gz`, `NAME.reference.jsonl`, `NAME.times.json`) with even or odd numbers; null without it. */
export const read = (folder: string, name: string, half: "tune" | "test"): ReadonlyArray<DurationSeries> | null => {
  const path = join(folder, `${name}.jsonl.gz`)
  if (!existsSync(path)) return null
  const times = Schema.decodeUnknownSync(Schema.Array(Schema.String))(
    JSON.parse(readFileSync(join(folder, `${name}.times.json`), "utf8"))
  ).map((at) => Date.parse(at))
  const references = Map.groupBy(
    linesOf(readFileSync(join(folder, `${name}.reference.jsonl`), "utf8"), ReferenceLine),
    ({ series }) => series
  )
  return linesOf(gunzipSync(readFileSync(path)).toString("utf8"), Line)
    .filter(({ series }) => series % 2 === (half === "tune" ? 0 : 1))
    .map(({ first, series, values }) => {
      const measured = values.flatMap((value, index) =>
        value === null ? [] : [{ value, at: times[first + index] ?? 0 }]
      )
      return {
        values: measured.map(({ value }) => value),
        months: ((measured.at(-1)?.at ?? 0) - (measured[0]?.at ?? 0)) / (30 * Instant.day),
        references: references.get(series) ?? []
      }
    })
}

const linesOf = <A>(text: string, schema: Schema.Codec<A, unknown>): ReadonlyArray<A> => {
  const decode = Schema.decodeUnknownSync(schema)
  return text
    .trim()
    .split("\n")
    .map((line) => decode(JSON.parse(line)))
}

/** The ways in which a generated job is noisy. */
export const noises = ["even", "wide", "outliers", "two levels", "drift", "bursts"] as const

/** The seeds of the generated jobs that numbers were chosen by, and of those that are measured. */
export const seeds = { tune: 1, test: 1001 } as const

/** Series of one value a day: 50 of each noise without a growth, and 50 that double at a known value. */
export const generate = (half: keyof typeof seeds): ReadonlyArray<DurationSeries & { readonly noise: string }> =>
  noises.flatMap((noise, kind) =>
    Array.from({ length: 100 }, (_, index) => {
      const random = randomOf(seeds[half] + 100 * kind + index)
      const point = index % 2 === 0 ? null : 60 + Math.floor(80 * random())
      const base = 200 + 800 * random()
      const noiseOf = noiseMakers[noise](random)
      const values = Array.from({ length: length }, (__, day) => {
        const level = point !== null && day >= point ? 2 * base : base
        return level * noiseOf(day)
      })
      return {
        noise,
        values,
        months: length / 30,
        references: point === null ? [] : [{ point, kind: "shift" as const }]
      }
    })
  )

const length = 200

type Random = () => number

type Noise = (day: number) => number

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const noiseMakers: { readonly [N in (typeof noises)[number]]: (random: Random) => Noise } = {
  even: (random) => () => Math.exp(0.08 * normal(random)),
  wide: (random) => () => Math.exp(0.3 * normal(random)),
  outliers: (random) => () => Math.exp(0.1 * normal(random)) * (random() < 0.15 ? 1.5 + 3 * random() : 1),
  "two levels": (random) => () => Math.exp(0.05 * normal(random)) * (random() < 0.35 ? 1.8 : 1),
  drift: (random) => (day) => Math.exp(0.1 * normal(random) + 0.15 * Math.sin(day / 25)),
  bursts: (random) => {
    let left = 0
    return () => {
      if (left > 0) left -= 1
      else if (random() < 0.02) left = 1 + Math.floor(4 * random())
      return Math.exp(0.1 * normal(random)) * (left > 0 ? 1.8 : 1)
    }
  }
}

/** The generator of Park and Miller. */
const randomOf = (seed: number): Random => {
  let state = (seed * 48_271) % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
