/** Fail-overs of a database under upload load: two servers with one address of the database, which changes its server. */
import { setTimeout as sleep } from "node:timers/promises"
import { TestId } from "@lazaret/domain"
import { adminKey, type Running, serve, until } from "../lazaretProcess.ts"
import * as Pair from "./Pair.ts"

const repositories = ["one", "two", "three", "four"].map((name) => `failover-${name}`)

/** A way in which a database fails over; `ms` is how long nothing takes writes. */
export type Scene = (pair: Pair.Pair, ms: number) => Promise<void>

/** The ways by name. */
export const scenes = {
  /** The server dies, and the standby takes its place. */
  death: async ({ act }, ms) => {
    act.kill("first")
    act.cut(true)
    await sleep(ms)
    act.promote("second")
    act.lead("second")
    act.cut(false)
  },
  /** A managed service restarts the database: connections are cut, then it takes no writes for a while. */
  readOnly: async ({ act }, ms) => {
    act.setReadOnly("first", true)
    act.cut(false)
    await sleep(ms)
    act.setReadOnly("first", false)
  },
  /** The address leads elsewhere, and the connections that exist stay at the former server, which takes no writes. */
  handover: async ({ act }, ms) => {
    act.setReadOnly("first", true)
    await sleep(ms)
    act.promote("second")
    act.lead("second")
  },
  /** The only synchronous standby dies and comes back: commits wait for it, and the primary stays writable. */
  lostStandby: async ({ act }, ms) => {
    act.kill("second")
    await sleep(ms)
    act.start("second")
  }
} satisfies Record<string, Scene>

/** The outcome; without faults every acknowledged upload counts exactly once. */
export interface Outcome {
  readonly acknowledged: number
  readonly answers: Readonly<Record<string, number>>
  /** The acknowledged uploads that are stored no more: only without synchronous replication. */
  readonly lost: number
  /** From the beginning of the fail-over to the first acknowledged upload of the repository that waited longest. */
  readonly secondsToRecovery: number
  readonly faults: ReadonlyArray<string>
}

interface Load {
  readonly servers: ReadonlyArray<Running>
  readonly acknowledged: Map<string, number>
  readonly since: Map<string, number>
  readonly answers: Record<string, number>
  readonly faults: Array<string>
  isOver: boolean
}

/** Plays a scene while uploads arrive. */
export const run = async (
  bin: string,
  scene: Scene,
  options: { readonly isSynchronous: boolean; readonly ms: number }
) => {
  await using pair = await Pair.start(bin, options.isSynchronous)
  const env = { LAZARET_STORE: "postgres", DATABASE_URL: pair.url, LAZARET_ADMIN_KEY: adminKey }
  await using one = await serve({ cwd: "/tmp", env })
  await using two = await serve({ cwd: "/tmp", env })
  const load: Load = {
    servers: [one, two],
    acknowledged: new Map(),
    since: new Map(),
    answers: {},
    faults: [],
    isOver: false
  }
  const reporting = Promise.all(repositories.map((repository, index) => report(load, repository, index)))
  await taken(load, 3)
  const refused = readiness(load)
  const started = performance.now()
  await scene(pair, options.ms)
  await taken(load, 3)
  const secondsToRecovery = Math.round((performance.now() - started) / 100) / 10
  load.isOver = true
  await reporting
  if (!(await refused) && scene !== scenes.lostStandby)
    load.faults.push("readiness never said that nothing took writes")
  const stored = await Promise.all(repositories.map((repository) => storedOf(load, repository)))
  const acknowledged = repositories.map((repository) => load.acknowledged.get(repository) ?? 0)
  const difference = acknowledged.map((count, index) => count - (stored[index] ?? 0))
  if (difference.some((count) => count < 0)) load.faults.push(`uploads count twice: ${difference.join(", ")}`)
  const lost = difference.reduce((sum, count) => sum + count, 0)
  if (lost > 0 && options.isSynchronous) load.faults.push(`${lost} acknowledged uploads are lost`)
  const outcome: Outcome = {
    acknowledged: acknowledged.reduce((sum, count) => sum + count, 0),
    answers: load.answers,
    lost,
    secondsToRecovery,
    faults: load.faults
  }
  return outcome
}

/** Waits until every repository has this many more acknowledged uploads. */
const taken = (load: Load, more: number): Promise<void> => {
  load.since.clear()
  return until(
    `every repository has taken ${more} uploads`,
    () => repositories.every((repository) => (load.since.get(repository) ?? 0) >= more),
    3000
  )
}

/** Whether one of the servers has said that it is not ready while the load ran. */
const readiness = async (load: Load): Promise<boolean> => {
  let refused = false
  while (!load.isOver) {
    for (const { url } of load.servers) refused ||= (await fetch(`${url}/health/ready`)).status === 503
    await sleep(100)
  }
  return refused
}

/** Uploads one report after the other, each until it is acknowledged, to both servers in turn. */
const report = async (load: Load, repository: string, offset: number): Promise<void> => {
  for (let upload = 0; !load.isOver; upload++) {
    for (let attempt = 0; !(await isTaken(load, repository, upload, offset + attempt)); attempt++) {
      if (load.isOver) return
      await sleep(100)
    }
    load.acknowledged.set(repository, upload + 1)
    load.since.set(repository, (load.since.get(repository) ?? 0) + 1)
  }
}

const isTaken = async (load: Load, repository: string, upload: number, server: number): Promise<boolean> => {
  const query = `pipeline_name=CI&job_name=unit&branch=main&commit=c${upload}&idempotency_key=${upload}`
  const { retryAfter, status, text } = await send(load, server, `${pathOf(repository)}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite name="s"><testcase name="law"/></testsuite>`
  })
  load.answers[status] = (load.answers[status] ?? 0) + 1
  if (status !== 201 && status !== 503) load.faults.push(`${repository}: ${status} ${text}`)
  if (status === 503 && retryAfter === null) load.faults.push(`${repository}: 503 without Retry-After`)
  return status === 201
}

const pathOf = (repository: string): string => `/v1/ci/acme/repositories/${repository}`

const send = async ({ servers }: Load, server: number, path: string, request: RequestInit = {}) => {
  const { url = "" } = servers[server % servers.length] ?? {}
  const response = await fetch(url + path, {
    ...request,
    headers: { authorization: `Bearer ${adminKey}`, ...request.headers },
    signal: AbortSignal.timeout(90_000)
  })
  const text = await response.text()
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text }
}

/** The executions of the test that every upload holds once. */
const storedOf = async (load: Load, repository: string): Promise<number> => {
  const path = `${pathOf(repository)}/tests/${TestId.of("s.law")}/executions`
  const { status, text } = await send(load, 0, path)
  if (status !== 200) load.faults.push(`${path}: ${status} ${text}`)
  return status === 200 ? JSON.parse(text).executions[0].executions_count : 0
}
