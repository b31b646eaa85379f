/**
 * The use cases over the PostgreSQL database at the URL in its argument, as a process of its own: at each message records
 * the results of 50,000 known tests, and answers with the processor time that this took.
 */
import { HostingPlatform, Ingestion, Services } from "@lazaret/services"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as data from "../postgres/data.ts"

/** Milliseconds of processor time of an upload: in the main thread, and in all threads of the process. */
export interface Cost {
  readonly main: number
  readonly all: number
}

const [url = ""] = process.argv.slice(2)

const stores = PostgresStores.layer({ url: Redacted.make(url) })

const runtime = ManagedRuntime.make(
  Services.layer.pipe(Layer.provide(Layer.mergeAll(stores, HostingPlatform.layerOff)))
)

const begun = Date.now()

/** The rounds for which there is room in the past: each upload is of a commit of its own. */
const rounds = 300

const upload = async (number: number): Promise<Cost> => {
  const finishedAt = begun - (rounds - number) * data.perCommit
  const run = { ref: data.busy, job: "suite 0", tests: data.suiteTests, finishedAt, branch: "main", number }
  const { executions: cases, key, ...report } = data.report(run)
  const before = now()
  const recording = Ingestion.use((ingestion) =>
    ingestion.record(data.busy, {
      ...report,
      idempotencyKey: key,
      finishedAt: run.finishedAt,
      cases,
      hasDistinctNames: true,
      warnings: []
    })
  )
  await runtime.runPromise(Effect.asVoid(recording))
  const after = now()
  return { main: after.main - before.main, all: after.all - before.all }
}

const now = (): Cost => ({ main: total(process.threadCpuUsage()), all: total(process.cpuUsage()) })

const total = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1000

await runtime.context()
process.on("message", (number: number) => void upload(number).then((cost) => process.send?.(cost)))
process.on("disconnect", () => void runtime.dispose().finally(() => process.exit()))
process.send?.("ready")
