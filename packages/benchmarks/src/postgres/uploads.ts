/** Uploads of 50,000 results by 1, 2 and 4 clients at once, compared with the same results as plain rows. */
import type { Report } from "@lazaret/domain"
import { ExecutionStore } from "@lazaret/store"
import { Effect } from "effect"
import { median } from "../Paired.ts"
import { type Planned, report, suiteTests } from "./data.ts"
import type { Database } from "./Database.ts"
import * as data from "./data.ts"
import * as PlainRows from "./PlainRows.ts"

/** The time of each way to store the same reports, in the median of the rounds, in milliseconds. */
export interface Uploads {
  readonly clients: number
  readonly product: number
  readonly copy: number
  readonly insert: number
}

/** Records reports in this order, some waiting for others, as a burst of uploads does. */
export const record = (database: Database, runs: ReadonlyArray<Planned>) =>
  database.run(
    Effect.flatMap(ExecutionStore, (store) =>
      Effect.forEach(runs, (run) => Effect.suspend(() => store.append(run.ref, report(run))), {
        concurrency: 8,
        discard: true
      })
    )
  )

/** The three ways take turns; the first rounds warm up and are thrown away. */
export const measure = async (database: Database, clients: number, rounds: number): Promise<Uploads> => {
  const times: Array<Omit<Uploads, "clients">> = []
  for (let round = 0; round < rounds + warmUp; round++) {
    const reports = Array.from({ length: clients }, () => report(next()))
    const ways = [product(database, reports), copy(database, reports), insert(database, reports)] as const
    const order = [round % 3, (round + 1) % 3, (round + 2) % 3]
    const found = [0, 0, 0]
    for (const way of order) found[way] = await time(ways[way] ?? ways[0])
    await PlainRows.clear(database.connections[0])
    const [ofProduct = 0, ofCopy = 0, ofInsert = 0] = found
    if (round >= warmUp) times.push({ product: ofProduct, copy: ofCopy, insert: ofInsert })
  }
  return {
    clients,
    product: median(times.map((each) => each.product)),
    copy: median(times.map((each) => each.copy)),
    insert: median(times.map((each) => each.insert))
  }
}

/** The line of a measurement. */
export const line = ({ clients, copy, insert, product }: Uploads): string => {
  const rate = (milliseconds: number) => `${((clients * suiteTests) / milliseconds).toFixed(0)} thousand results/s`
  return [
    `  ${suiteTests} results at once from ${clients} client${clients === 1 ? "" : "s"}: ${product.toFixed(0)} ms, ${rate(product)}`,
    `    ${(copy / product).toFixed(2)} of COPY into a table without an index (${copy.toFixed(0)} ms)`,
    `    ${(insert / product).toFixed(2)} of INSERT into a table with a key (${insert.toFixed(0)} ms)`
  ].join("\n")
}

const warmUp = 5

let runs = 0

/** Another run of a suite, now. */
const next = (): Planned => ({
  ref: data.busy,
  job: "suite 0",
  tests: suiteTests,
  finishedAt: Date.now(),
  branch: "main",
  number: 10_000_000 + runs++
})

const product = (database: Database, reports: ReadonlyArray<Report.Report>) => () =>
  database.run(
    Effect.flatMap(ExecutionStore, (store) =>
      Effect.forEach(reports, (each) => store.append(data.busy, each), { concurrency: "unbounded", discard: true })
    )
  )

const copy = (database: Database, reports: ReadonlyArray<Report.Report>) => () =>
  Promise.all(
    reports.map((each, client) => PlainRows.copy(database.connections[client] ?? database.connections[0], client, each))
  )

const insert = (database: Database, reports: ReadonlyArray<Report.Report>) => () =>
  Promise.all(reports.map((each) => PlainRows.insert(database, runs++, each)))

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
