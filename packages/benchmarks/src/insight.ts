/**
 * The answers of insight on a large history on PostgreSQL: what is slow because it is computed when it is asked for, and how long the
 * rounds in the background take.
 *
 * `npm run bench -- insight` records 2 million executions of 200,000 tests, `--executions=30000000` as many. In one commit of a pull request 50,000 tests failed, and
 * passed when they ran again.
 */
import { Instant } from "@lazaret/domain"
import type { Lines } from "./Section.ts"
import * as Flaking from "./insight/Flaking.ts"
import * as reads from "./insight/reads.ts"
import * as rounds from "./insight/rounds.ts"
import * as data from "./postgres/data.ts"
import * as Database from "./postgres/Database.ts"
import * as uploads from "./postgres/uploads.ts"

/** Benchmarks of insight. The figures are in `docs/measurements/insight.md`. */
export const insight: Lines = {
  name: "insight",
  lines: async function* (options) {
    const given = options.find((option) => option.startsWith("--executions="))
    const executions = given === undefined ? data.shortForm : Number(given.slice("--executions=".length))
    const server = await Database.start()
    try {
      const database = await Database.create(server, "insight")
      try {
        const start = performance.now()
        await uploads.record(database, data.plan(executions, Date.now() - Instant.minute))
        await database.run(Flaking.record)
        const seconds = (performance.now() - start) / 1000
        yield `insight: ${executions} executions of ${data.identities} tests, recorded in ${seconds.toFixed(0)} s`
        for await (const each of rounds.measure(database)) yield each
        for await (const each of reads.measure(database)) yield each
      } finally {
        await database.close()
      }
    } finally {
      await server.close()
    }
  }
}
