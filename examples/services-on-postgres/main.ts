import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Instant, Report, TestId } from "@lazaret/domain"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { HostingPlatform, Ingestion, Services, Tests } from "@lazaret/services"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"

/** The database of `DATABASE_URL`; without one a PostgreSQL that comes with the package keeps its data in a folder. */
const folder = mkdtempSync(join(tmpdir(), "lazaret-example-"))
const given = process.env["DATABASE_URL"]
const stores =
  given === undefined
    ? EmbeddedPostgres.layerOn({ folder }, (url) => PostgresStores.layer({ url }))
    : PostgresStores.layer({ url: Redacted.make(given) })

const Lazaret = Services.layer.pipe(Layer.provide([stores, HostingPlatform.layerOff]))

/** A repository of its own for every run of this example. */
const widgets = { owner: "acme", repository: `widgets-${process.pid}-${Date.now()}` }

const recordNight = Effect.fn(function* (night: number, conclusion: "passed" | "failed") {
  const finishedAt = Date.now() - (4 - night) * Instant.day
  const exception = conclusion === "failed" ? { type: "AssertionError", message: "not sorted", stacktrace: null } : null
  const run = { pipelineName: "nightly", jobName: "unit", branch: "main", commit: `commit ${night}` }
  const ingestion = yield* Ingestion
  yield* ingestion.record(widgets, {
    idempotencyKey: `night ${night}`,
    digest: `${night} ${conclusion}`,
    finishedAt,
    run: Report.contextOf(run),
    cases: [Report.caseOf({ testName: "Cart.sorts", conclusion, durationMs: 120, exception })],
    warnings: []
  })
})

const nights = Effect.forEach(["passed", "failed", "failed"] as const, (conclusion, night) =>
  recordNight(night + 1, conclusion)
)

const ask = Effect.gen(function* () {
  const tests = yield* Tests
  const details = yield* tests.details(widgets, TestId.of("Cart.sorts"))
  console.log(`Cart.sorts is ${details.healthStatus}, since ${details.firstFailure?.commit}`)
  const { transitions } = yield* tests.transitions(widgets, TestId.of("Cart.sorts"), {
    start: Date.now() - 7 * Instant.day,
    end: Date.now()
  })
  for (const each of transitions) console.log(`  ${each.status} ${each.exceptionType ?? ""}`.trimEnd())
})

try {
  // Two programs, one after the other: what the first has recorded, the second finds again.
  await Effect.runPromise(Effect.provide(nights, Layer.fresh(Lazaret)))
  await Effect.runPromise(Effect.provide(ask, Layer.fresh(Lazaret)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
