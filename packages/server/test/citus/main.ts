/**
 * Lazaret on a distributed database: `npm run test:citus`, `npm run test:citus -- --short`.
 *
 * Starts a cluster of three nodes on this machine, distributes the tables, runs the conformance suite and two servers on it,
 * and kills each node under load. Exits with 1 when something did not hold. Says loudly when there is no cluster to start.
 */
import { parseArgs } from "node:util"
import { run } from "../lazaretProcess.ts"
import * as Cluster from "./Cluster.ts"
import * as NodeDeath from "./NodeDeath.ts"
import * as Stores from "./Stores.ts"

const { values } = parseArgs({ options: { short: { type: "boolean", default: false } } })

const size = values.short
  ? { perPort: 3, thoroughness: 0.02, rounds: 1, downMs: 2000 }
  : { perPort: Infinity, thoroughness: 1, rounds: 3, downMs: 10_000 }

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const tell = (part: string, faults: ReadonlyArray<string>, figures: object): void => {
  say(`${part}: ${faults.length === 0 ? "held" : `${faults.length} faults`} ${JSON.stringify(figures)}`)
  for (const fault of faults.slice(0, 50)) say(`  FAULT ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

const script = Cluster.script()
if (script === null || process.getuid?.() !== 0) {
  say("!!! SKIPPED: there is no script that starts a Citus cluster (LAZARET_CITUS), or no right to run it:")
  say("!!! nothing checked that Lazaret runs on a distributed database")
} else {
  using cluster = Cluster.start(script)
  const database = { LAZARET_STORE: "postgres", DATABASE_URL: cluster.url }
  for (const what of ["distributes", "distributes nothing again"]) {
    const { exitCode, stderr, stdout } = await run(["migrate", "--distribute", "--json"], {
      cwd: "/tmp",
      env: database
    })
    const { distributed = [] } = exitCode === 0 ? JSON.parse(stdout) : {}
    const isRight = exitCode === 0 && distributed.length > 0 === (what === "distributes")
    tell(`migrate ${what}`, isRight ? [] : [stdout + stderr], { tables: distributed.length })
  }
  const { cases, faults } = await Stores.conformance(cluster.url, size)
  tell("conformance", faults, { cases })
  const changes = await Stores.weeks(cluster.url)
  tell("weeks", changes.freed >= 3 ? [] : ["weeks without results were not given back"], changes)
  const { faults: lost, ...figures } = await NodeDeath.run(cluster, size)
  tell("death of nodes", lost, figures)
}
