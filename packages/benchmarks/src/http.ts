/** Processor time of requests compared with a raw `node:http` server that answers the same bytes. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { TestId } from "@lazaret/domain"
import type { Answer } from "./http/Answer.ts"
import { ref, secret, testName } from "./http/data.ts"
import { send } from "./http/Load.ts"
import { median } from "./Paired.ts"
import * as Database from "./postgres/Database.ts"
import type { Lines } from "./Section.ts"

const base = `/v1/ci/${ref.owner}/repositories/${ref.repository}`

interface Route {
  readonly name: string
  readonly path: string
  readonly requests: number
  /** Whether the client says which answer it has. */
  readonly isKnown?: boolean
}

/** `&x=N` of the path is replaced with a number that no request had before: such an answer is always computed. */
const routes: ReadonlyArray<Route> = [
  { name: "a probe of liveness", path: "/health/live", requests: 3000 },
  { name: "the key of the caller", path: "/v1/application", requests: 3000 },
  { name: "test details", path: `${base}/tests/${TestId.of(testName(0))}`, requests: 2000 },
  { name: "a search of 10 of 2,000 identities", path: `${base}/search/tests?per_page=10`, requests: 2000 },
  {
    name: "a search of 100 of 2,000 identities",
    path: `${base}/search/tests?per_page=100&sort=test_name`,
    requests: 1000
  },
  { name: "a list of 1,000 quarantines", path: `${base}/quarantines`, requests: 400 },
  {
    name: "a list of 1,000 quarantines that the client has",
    path: `${base}/quarantines`,
    requests: 2000,
    isKnown: true
  }
]

/**
 * HTTP benchmarks. `--rounds=N` (8) sets how often each server has its turn, `--store=postgres` the store (memory), and
 * `--only=TEXT` measures the requests whose name contains it.
 */
export const http: Lines = {
  name: "http",
  lines: async function* (options) {
    const rounds = Number(valueOf(options, "rounds") ?? 8)
    const database = await databaseOf(valueOf(options, "store") ?? "memory")
    const raw = await start("raw", [])
    try {
      const service = await start("lazaret", database === null ? [] : [await Database.createEmpty(database, "http")])
      const only = valueOf(options, "only") ?? ""
      const chosen = routes.filter(({ name }) => name.includes(only))
      for (const route of chosen) yield await line(route, { raw, service, rounds })
      service.child.disconnect()
      await once(service.child, "exit")
    } finally {
      raw.child.disconnect()
      await database?.close()
    }
  }
}

const databaseOf = (store: string): Promise<Database.Server | null> => {
  if (store === "memory") return Promise.resolve(null)
  if (store === "postgres") return Database.start()
  throw new Error(`There is no store ${store}: use memory or postgres.`)
}

const valueOf = (options: ReadonlyArray<string>, name: string): string | undefined =>
  options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3)

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

interface Setting {
  readonly service: Server
  readonly raw: Server
  readonly rounds: number
}

/** The ratio of each round is that of two turns which follow one another; the first rounds warm up. */
const line = async (route: Route, { raw, rounds, service }: Setting): Promise<string> => {
  const { answer, etag } = await answerOf(service.port, route)
  await ask(raw.child, { answers: [[route.path, answer]] })
  const turns: Array<readonly [number, number]> = []
  for (let round = -2; round < rounds; round++) {
    const isFirst = round % 2 === 0
    const first = await cost(isFirst ? service : raw, route, etag)
    const second = await cost(isFirst ? raw : service, route, etag)
    if (round >= 0) turns.push(isFirst ? [first, second] : [second, first])
  }
  const ratios = turns.map(([subject, reference]) => subject / reference).toSorted((a, b) => a - b)
  const micros = (index: 0 | 1) => median(turns.map((turn) => turn[index])).toFixed(0)
  const spread = `${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`
  return `http: ${route.name}: ${median(ratios).toFixed(2)} (${spread}) of the processor time of a raw server; ${micros(0)} µs, raw ${micros(1)} µs`
}

/** Microseconds of processor time of a server for each request. */
const cost = async ({ child, port }: Server, { isKnown, path, requests }: Route, etag: string): Promise<number> => {
  const before = total(await ask(child, {}))
  const condition = isKnown === true ? { etag } : {}
  const sent = await send({ port, path, token: secret, connections: 16, requests, ...condition })
  return (total(await ask(child, {})) - before) / sent
}

const total = ({ system, user }: NodeJS.CpuUsage): number => system + user

const ask = async (child: ChildProcess, message: object): Promise<NodeJS.CpuUsage> => {
  child.send(message)
  // Both programs answer every message with their processor time.
  const [usage] = (await once(child, "message")) as [NodeJS.CpuUsage]
  return usage
}

const start = async (name: string, args: ReadonlyArray<string>): Promise<Server> => {
  const child = fork(new URL(`./http/${name}.ts`, import.meta.url), args, {
    execArgv: ["--conditions=@lazaret/source", ...(process.env["PROFILE"] === name ? ["--cpu-prof"] : [])]
  })
  // The first message of both programs is their port.
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }]
  return { child, port }
}

const answerOf = async (port: number, { isKnown, path }: Route): Promise<{ answer: Answer; etag: string }> => {
  const authorization = `Bearer ${secret}`
  const whole = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })
  const etag = whole.headers.get("etag") ?? '"none"'
  const body = await whole.text()
  if (whole.status !== 200) throw new Error(`${path} answered ${whole.status}: ${body}`)
  const status = isKnown === true && whole.headers.has("etag") ? 304 : 200
  const kept = [...whole.headers].filter(
    ([name]) => !["date", "connection", "keep-alive", "transfer-encoding"].includes(name)
  )
  const headers = kept.filter(([name]) => status === 200 || name !== "content-length")
  return { answer: { status, headers: Object.fromEntries(headers), body: status === 200 ? body : "" }, etag }
}
