import { hash } from "node:crypto"
import { Report } from "@lazaret/domain"
import { JUnit } from "@lazaret/ingest"
import { HostingPlatform, Ingestion, Quarantines, Services, Tests } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Effect, Layer } from "effect"

const Lazaret = Services.layer.pipe(Layer.provide([MemoryStores.layer, HostingPlatform.layerOff]))

const widgets = { owner: "acme", repository: "widgets" }

/** Records the JUnit report of one attempt of the job "unit" on a commit of main. */
const record = Effect.fn(function* (commit: string, runAttempt: number, xml: string) {
  const { cases, warnings } = yield* Effect.fromResult(JUnit.parse(xml))
  const run = Report.contextOf({ pipelineName: "CI", jobName: "unit", branch: "main", commit, runAttempt })
  const ingestion = yield* Ingestion
  return yield* ingestion.record(widgets, { digest: hash("sha256", xml), run, cases, warnings })
})

const suite = (sorts: string) =>
  `<testsuite><testcase classname="Cart" name="adds up"/><testcase classname="Cart" name="sorts">${sorts}</testcase></testsuite>`

const program = Effect.gen(function* () {
  const first = yield* record("4f1c", 1, suite("<failure/>"))
  const again = yield* record("4f1c", 1, suite("<failure/>"))
  console.log(`recorded ${first.recorded}; the same report again: recorded ${again.recorded}`)
  yield* record("4f1c", 2, suite(""))

  const tests = yield* Tests
  const { rows } = yield* tests.search(widgets, {})
  for (const row of rows) console.log(`${row.testName}: ${row.healthStatus}`)

  const quarantines = yield* Quarantines
  const order = { testName: "Cart.sorts", reason: "flaky", branch: null, source: "manual", by: "an example" } as const
  yield* quarantines.create(widgets, order)
  const twice = yield* Effect.flip(quarantines.create(widgets, order))
  console.log(`quarantined; a second time: ${twice._tag}`)
})

await Effect.runPromise(Effect.provide(program, Lazaret))
