import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Report, TestId } from "@lazaret/domain"
import { ExecutionStore, Stores, TestStore } from "@lazaret/store"
import { Conformance } from "@lazaret/store-conformance"
import { Effect, Layer, Option } from "effect"
import * as SqliteDriver from "./SqliteDriver.ts"

/** Every port, built by the rules of storage from the driver on SQLite. */
const stores = (file: string) => Layer.provide(Stores.layer, SqliteDriver.layer(file))

const outcomes = await Effect.runPromise(Conformance.runDriver(SqliteDriver.layer(":memory:")))
const broken = outcomes.filter(({ error }) => error !== null)

for (const outcome of broken) console.log(`BROKEN ${outcome.case.port}: ${outcome.case.name}`)
for (const port of new Set(outcomes.map((outcome) => outcome.case.port))) {
  const ofPort = outcomes.filter((outcome) => outcome.case.port === port)
  const isKept = ofPort.every(({ error }) => error === null)
  console.log(`${isKept ? "every law is kept" : "BROKEN"}: ${port}`)
}
process.exitCode = broken.length === 0 ? 0 : 1

const ref = { owner: "acme", repository: "widgets" }
const now = Date.UTC(2026, 5, 1, 12)
const report = Report.make({
  key: "upload 1",
  digest: "content 1",
  receivedAt: now,
  finishedAt: now,
  run: Report.contextOf({ pipelineName: "CI", jobName: "unit", commit: "4f1c", branch: "main" }),
  cases: [Report.caseOf({ testName: "adds up", conclusion: "failed" })]
})

const folder = mkdtempSync(join(tmpdir(), "lazaret-"))
const opened = <A, E>(program: Effect.Effect<A, E, ExecutionStore | TestStore>) =>
  Effect.runPromise(Effect.provide(program, Layer.fresh(stores(join(folder, "facts.db")))))

await opened(ExecutionStore.use((store) => store.append(ref, report)))
const records = await opened(TestStore.use((store) => store.get(ref, TestId.of("adds up"), now)))
rmSync(folder, { recursive: true })

const status = Option.match(records, { onNone: () => "forgotten", onSome: ([{ state }]) => state.status })
console.log(`\nAfter the file was closed and opened again, the test is ${status}.`)
