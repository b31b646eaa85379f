/**
 * The facts on failures in the durable store: `npm run bench -- triage [--executions=30000000]`.
 *
 * A pull request's run of 50,000 results with 500 failures, and one failure of another run, in a repository of 200,000
 * tests. The aims are below 300 ms and below 20 ms. Printed are the median of the time, with the least and the longest one,
 * and the processor time of one answer in this process and in the database: other processes do not lengthen it.
 */
import { readFileSync } from "node:fs"
import { FailureGate, FailurePolicy, FailureVerdict, Instant } from "@lazaret/domain"
import { ExecutionStore, TriageStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { median } from "./Paired.ts"
import * as data from "./postgres/data.ts"
import * as Database from "./postgres/Database.ts"
import * as uploads from "./postgres/uploads.ts"
import type { Lines } from "./Section.ts"

/** Benchmarks of triage. */
export const triage: Lines = {
  name: "triage",
  lines: async function* (options) {
    const given = options.find((option) => option.startsWith("--executions="))
    const executions = given === undefined ? data.shortForm : Number(given.slice("--executions=".length))
    const server = await Database.start()
    try {
      const database = await Database.create(server, "triage")
      await uploads.record(database, data.plan(executions, Date.now() - 2 * Instant.minute))
      yield `triage: ${executions} executions of ${data.identities} tests`
      for (const failing of [500, 1]) yield await measured(database, failing)
      await database.close()
    } finally {
      await server.close()
    }
  }
}

const rounds = 23
const warmUp = 3

/** A run of a pull request in which every nth test fails for the first time. */
const measured = async (database: Database.Database, failing: number): Promise<string> => {
  const commit = `pull request with ${failing}`
  const every = data.suiteTests / failing
  const run = {
    ref: data.busy,
    job: "suite 0",
    tests: data.suiteTests,
    finishedAt: Date.now(),
    branch: "topic",
    number: failing
  }
  const made = data.report(run)
  const report = {
    ...made,
    run: { ...made.run, commit, baseBranch: "main" },
    executions: made.executions.map((execution, index) => ({
      ...execution,
      flaky: false,
      reruns: 0,
      conclusion: index % every === 17 % every ? ("failed" as const) : ("passed" as const),
      exception:
        index % every === 17 % every
          ? { type: "AssertionError", message: `expected ${index % 13} pieces of ${index % 311}`, stacktrace: null }
          : null
    }))
  }
  await database.run(Effect.flatMap(ExecutionStore, (store) => store.append(data.busy, report)))
  const times: Array<number> = []
  let judged = 0
  let before = { process: process.cpuUsage(), database: 0 }
  for (let round = 0; round < rounds + warmUp; round++) {
    if (round === warmUp) before = { process: process.cpuUsage(), database: await processorOf(database) }
    const start = performance.now()
    const found = await database.run(
      Effect.flatMap(TriageStore, (store) =>
        store.failures(data.busy, { _tag: "Commit", commit, heads: [] }, FailurePolicy.defaults)
      )
    )
    const facts = Option.match(found, { onNone: () => [], onSome: ({ failures }) => failures })
    judged = FailureVerdict.judgeAll(facts, FailurePolicy.defaults, FailureGate.defaults).length
    times.push(performance.now() - start)
  }
  const used = process.cpuUsage(before.process)
  const inDatabase = (await processorOf(database)) - before.database
  const sorted = times.slice(warmUp).sort((a, b) => a - b)
  return (
    `  ${judged} failures of ${data.suiteTests} results: ${median(sorted).toFixed(1)} ms ` +
    `(${(sorted[0] ?? 0).toFixed(1)} to ${(sorted.at(-1) ?? 0).toFixed(1)}); processor time ` +
    `${((used.user + used.system) / 1000 / rounds).toFixed(1)} ms in the process, ${(inDatabase / rounds).toFixed(1)} ms in the database`
  )
}

/** The processor time of all connections to the database so far, in milliseconds; NaN where the system does not show it. */
const processorOf = async ({ connections: [connection] }: Database.Database): Promise<number> => {
  if (process.platform !== "linux") return Number.NaN
  const { rows } = await connection.query<{ readonly pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
  )
  return rows.reduce((sum, { pid }) => sum + ticksOf(readFileSync(`/proc/${pid}/stat`, "utf8")) * 10, 0)
}

/** The ticks of 10 ms in user and system mode, the 14th and 15th field; the second one is a name in brackets. */
const ticksOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(fields[11]) + Number(fields[12])
}
