/**
 * Lazaret on a distributed database: `npm run test:citus`, with `-- --short`, `-- --only moves,backup`, `-- --only costs`.
 *
 * Starts a cluster of three nodes on this machine, distributes the tables, runs the conformance suite and two servers on it,
 * and kills each node under load. Exits with 1 when something did not hold. Says loudly when there is no cluster to start.
 */
import { parseArgs } from "node:util"
import { run } from "../lazaretProcess.ts"
import * as Backup from "./Backup.ts"
import * as Cluster from "./Cluster.ts"
import * as Costs from "./Costs.ts"
import * as Databases from "./Databases.ts"
import * as Moves from "./Moves.ts"
import * as NodeDeath from "./NodeDeath.ts"
import * as Stores from "./Stores.ts"

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } }
})

const size = values.short
  ? { thoroughness: 0.02, rounds: 1, downMs: 2000, pairs: 10 }
  : { thoroughness: 1, rounds: 3, downMs: 10_000, pairs: 40 }

const migrate = async (cluster: Cluster.Cluster): Promise<Databases.Outcome> => {
  const env = { LAZARET_STORE: "postgres", DATABASE_URL: cluster.url }
  const faults: Array<string> = []
  const figures: Array<number> = []
  for (const isFirst of [true, false]) {
    const { exitCode, stderr, stdout } = await run(["migrate", "--distribute", "--json"], { cwd: "/tmp", env })
    const { distributed = [] } = exitCode === 0 ? JSON.parse(stdout) : {}
    figures.push(distributed.length)
    if (exitCode !== 0 || distributed.length > 0 !== isFirst) faults.push(stdout + stderr)
  }
  return { faults, figures: { "distributed at first, and again": figures } }
}

/** The outcome of a part whose figures stand next to its faults. */
const outcomeOf = async (part: Promise<{ readonly faults: ReadonlyArray<string> }>): Promise<Databases.Outcome> => {
  const { faults, ...figures } = await part
  return { faults, figures }
}

const weeks = async ({ url }: Cluster.Cluster): Promise<Databases.Outcome> => {
  const figures = await Stores.weeks(url)
  return { figures, faults: figures.freed >= 3 ? [] : ["weeks without results were not given back"] }
}

/** Every other part needs the tables. */
const parts = {
  migrate,
  later: (cluster) => Databases.later(cluster.createDatabase("later")),
  filled: (cluster) => Databases.filled(cluster.createDatabase("filled")),
  conformance: ({ url }) => outcomeOf(Stores.conformance(url, size.thoroughness)),
  weeks,
  nodes: (cluster) => outcomeOf(NodeDeath.run(cluster, size)),
  moves: (cluster) => outcomeOf(Moves.run(cluster, !values.short)),
  backup: (cluster) => outcomeOf(Backup.run(cluster)),
  costs: async (cluster) => ({ faults: [], figures: await Costs.run(cluster, size.pairs) })
} satisfies Record<string, (cluster: Cluster.Cluster) => Promise<Databases.Outcome>>

/** The parts that must be asked for by name: they measure, or take too long for the short form. */
const onRequest: ReadonlySet<string> = new Set(["costs", ...(values.short ? ["moves", "backup"] : [])])

const isAsked = (name: string): boolean =>
  name === "migrate" || (values.only === "" ? !onRequest.has(name) : values.only.split(",").includes(name))

const script = Cluster.script()
if (script === null || process.getuid?.() !== 0) {
  process.stdout.write(
    "!!! SKIPPED: no script starts a Citus cluster here (LAZARET_CITUS), or it may not be run !!!\n" +
      "!!! Nothing checked that Lazaret runs on a distributed database. !!!\n"
  )
} else {
  using cluster = Cluster.start(script, values.only === "costs")
  for (const [name, part] of Object.entries(parts)) {
    if (!isAsked(name)) continue
    const started = performance.now()
    const { faults, figures } = await part(cluster)
    const outcome = faults.length === 0 ? "held" : `${faults.length} faults`
    const seconds = Math.round((performance.now() - started) / 1000)
    process.stdout.write(`${name}: ${outcome} ${JSON.stringify(figures)} (${seconds} s)\n`)
    for (const fault of faults.slice(0, 50)) process.stdout.write(`  FAULT ${fault}\n`)
    if (faults.length > 0) process.exitCode = 1
  }
}
