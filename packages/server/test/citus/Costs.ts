/** The cost of uploads on a cluster, as a multiple of that on one PostgreSQL with the same settings, in turns. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ExecutionStore } from "@lazaret/store"
import { PostgresStores } from "@lazaret/store-postgres"
import { Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { type Cluster, nodes } from "./Cluster.ts"
import { report } from "./Stores.ts"

/** The uploads of a turn: `number` of them with `results` each. */
const sizes = [
  { results: 100, number: 20 },
  { results: 5000, number: 4 },
  { results: 20_000, number: 2 }
]

const repositories = ["one", "two", "three", "four"].map((name) => ({ owner: "acme", repository: `costs-${name}` }))

/** A place that takes uploads, and the folders of its databases. */
interface Subject {
  readonly runtime: ManagedRuntime.ManagedRuntime<ExecutionStore, unknown>
  readonly folders: ReadonlyArray<string>
}

/** Processor time of the databases, and time by the clock, in milliseconds. */
interface Cost {
  readonly processor: number
  readonly clock: number
}

/** The ratios of a size: their median, with the interval of 95 % of it, and the cost of an upload on one PostgreSQL. */
export const run = async (cluster: Cluster, pairs: number): Promise<Record<string, string>> => {
  const distributed = subject(
    cluster.url,
    nodes.map((node) => join(cluster.folder, node))
  )
  const plain = subject(cluster.plainUrl, [join(cluster.folder, "plain")])
  const lines: Record<string, string> = {}
  try {
    for (const { number, results } of sizes) {
      const ratios: Array<Cost> = []
      const alone: Array<Cost> = []
      for (let pair = -warmUp; pair < pairs; pair++) {
        const order = pair % 2 === 0 ? [plain, distributed] : [distributed, plain]
        const costs = new Map<Subject, Cost>()
        for (const each of order) costs.set(each, await costOf(each, results, number))
        const [one, three] = [costs.get(plain), costs.get(distributed)]
        if (pair < 0 || one === undefined || three === undefined) continue
        ratios.push({ processor: three.processor / one.processor, clock: three.clock / one.clock })
        alone.push({ processor: one.processor / number, clock: one.clock / number })
      }
      for (const kind of ["processor", "clock"] as const) {
        const ms = middle(alone.map((each) => each[kind]))
        lines[`${results} results, ${kind}`] = `${interval(ratios.map((each) => each[kind]))} of ${ms.toFixed(1)} ms`
      }
    }
  } finally {
    for (const { runtime } of [plain, distributed]) await runtime.dispose()
  }
  return lines
}

/** The first turns make the tests known. */
const warmUp = 4

const subject = (url: string, folders: ReadonlyArray<string>): Subject => ({
  runtime: ManagedRuntime.make(Layer.mergeAll(PostgresStores.layer({ url: Redacted.make(url) }), Logger.layer([]))),
  folders
})

let uploads = 0

const costOf = async ({ folders, runtime }: Subject, results: number, number: number): Promise<Cost> => {
  const before = processorTimes(folders)
  const started = performance.now()
  for (let index = 0; index < number; index++) {
    const ref = repositories[index % repositories.length] ?? { owner: "acme", repository: "costs" }
    const uploaded = report(Date.now() + uploads++, results)
    await runtime.runPromise(ExecutionStore.use((store) => store.append(ref, uploaded)))
  }
  const clock = performance.now() - started
  return { clock, processor: difference(before, processorTimes(folders)) }
}

/** Nanoseconds of processor time by process, of all processes of databases (`schedstat`: more exact than the ticks of `stat`). */
const processorTimes = (folders: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const servers = new Set(
    folders.map((folder) => readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n", 1)[0])
  )
  const found = new Map<string, number>()
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
    const parent = textOf(`/proc/${pid}/stat`).split(") ")[1]?.split(" ")[1]
    if (!servers.has(pid) && (parent === undefined || !servers.has(parent))) continue
    found.set(pid, Number(textOf(`/proc/${pid}/schedstat`).split(" ", 1)[0]))
  }
  return found
}

/** A process may end before its file is read. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Milliseconds between two readings; that of processes which ended in between is missing. */
const difference = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number =>
  [...after].reduce((sum, [pid, time]) => sum + Math.max(0, time - (before.get(pid) ?? 0)), 0) / 1e6

const middle = (values: ReadonlyArray<number>): number => atRank(values, (values.length - 1) / 2)

const atRank = (values: ReadonlyArray<number>, rank: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.max(0, Math.floor(rank)))] ?? Number.NaN

/** The median, and the ranks between which that of all turns lies in 95 of 100 measurements. */
const interval = (ratios: ReadonlyArray<number>): string => {
  const [half, spread] = [(ratios.length - 1) / 2, 0.98 * Math.sqrt(ratios.length)]
  const [low, high] = [atRank(ratios, half - spread), atRank(ratios, Math.ceil(half + spread))]
  return `${middle(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
