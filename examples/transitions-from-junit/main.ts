import { readdirSync, readFileSync } from "node:fs"
import {
  BucketSize,
  type Execution,
  Health,
  HealthPolicy,
  HealthSeries,
  HealthTransition,
  Instant,
  type Report
} from "@lazaret/domain"
import { JUnit } from "@lazaret/ingest"
import { Result } from "effect"

const folder = new URL("reports/", import.meta.url)
const histories = new Map<string, Array<Execution.Observation & { readonly exceptionType: string | null }>>()

/** One test case of a report as the rules read it. */
const toObservation = (
  { conclusion, exception, flaky, reruns }: Report.Case,
  night: Pick<Execution.Observation, "id" | "at" | "commit">
) => ({ ...night, conclusion, flaky, reruns, excused: false, exceptionType: exception?.type ?? null })

// A file is named by the night it was made and the commit that it tests: 2026-03-03-a90d.xml.
for (const file of readdirSync(folder).sort()) {
  const night = { id: file, at: Date.parse(file.slice(0, 10)), commit: file.slice(11, -".xml".length) }
  const { cases } = Result.getOrThrow(JUnit.parse(readFileSync(new URL(file, folder))))
  for (const each of cases) {
    const history = histories.get(each.testName) ?? []
    histories.set(each.testName, [...history, toObservation(each, night)])
  }
}

const window = { start: Date.parse("2026-03-02T00:00:00Z"), end: Date.parse("2026-03-08T00:00:00Z") }
const size = BucketSize.choose(window)
console.log(`buckets of ${size}`)

for (const [name, history] of histories) {
  const exceptionTypeOf = (id: string) => history.find((execution) => execution.id === id)?.exceptionType ?? null
  const series = HealthSeries.changes(Health.initial, history, HealthPolicy.defaults, exceptionTypeOf)
  console.log(`\n${name}`)
  for (const { at, exceptionType, status } of HealthTransition.edges(series, window, BucketSize.milliseconds(size))) {
    console.log(`  ${Instant.toIso(at)}  ${status}${exceptionType === null ? "" : `, ${exceptionType}`}`)
  }
}
