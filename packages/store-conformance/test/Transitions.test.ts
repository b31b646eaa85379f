import {
  BucketSize,
  type Execution,
  Health,
  HealthPolicy,
  HealthSeries,
  HealthTransition,
  Instant
} from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { Law } from "@lazaret/store-conformance"
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Verdicts from "./recomputation/Verdicts.ts"

const policy = HealthPolicy.defaults
const origin = Instant.startOfLastDays(Date.UTC(2026, 0, 1), 0)
const width = 4 * Instant.hour

const scenes = Arbitrary.all({
  identities: Arbitrary.array(histories({ length: 50, start: origin }), { minLength: 1, maxLength: 3 }),
  start: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 * width }))),
  length: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 48 * width })))
})

/** The verdict of one identity from every execution before a moment; null before its first. */
const verdictAt = (history: ReadonlyArray<Execution.Observation>, moment: number) => {
  const before = history.filter(({ at }) => at < moment)
  if (before.length === 0) return null
  const concluded = Verdicts.concluded(before)
  return Verdicts.verdicts(concluded, policy).at(-1)?.status ?? "healthy"
}

/** The worst verdict over the identities of a test: broken, else flaky, else healthy. */
const worstAt = (identities: ReadonlyArray<ReadonlyArray<Execution.Observation>>, moment: number) => {
  const verdicts = identities.map((history) => verdictAt(history, moment))
  return (["broken", "flaky", "healthy"] as const).find((status) => verdicts.includes(status)) ?? null
}

describe("the definition of transitions", () => {
  it.effect(
    "an edge is where the worst verdict at the end of a bucket, or of the window, differs from that of the bucket before",
    () =>
      Law.forAll(
        scenes,
        ({ identities, length, start }) => {
          const window = { start: origin + start, end: origin + start + length }
          const series = HealthSeries.worst(
            identities.map((history) => HealthSeries.changes(Health.initial, history, policy))
          )
          const edges = HealthTransition.edges(series, window, width)
          const sampled = BucketSize.buckets(window, "4h").map((bucket) => ({
            at: bucket.start,
            status: worstAt(identities, Math.min(bucket.end, window.end))
          }))
          const expected = sampled.filter(
            ({ status }, bucket) => status !== null && status !== (sampled[bucket - 1]?.status ?? null)
          )
          return Law.equal<unknown>(
            edges.map(({ at, status }) => ({ at, status })),
            expected
          )
        },
        { runs: 150 }
      )
  )
})
