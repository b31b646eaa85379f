/** Nodes of a cluster are killed while two servers take uploads to several repositories. */
import { setTimeout as sleep } from "node:timers/promises"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Redacted } from "effect"
import { adminKey, type Running, serve, until } from "../lazaretProcess.ts"
import { type Cluster, type Node, nodes } from "./Cluster.ts"

const repositories = Array.from({ length: 8 }, (_, index) => `node-death-${index}`)

/** The answers while one node was dead: the repositories that were answered 201 all the time, and those with 503. */
export interface Death {
  readonly node: Node
  readonly served: number
  readonly refused: number
}

/** The outcome; without faults, every acknowledged upload counts exactly once. */
export interface Outcome {
  readonly deaths: ReadonlyArray<Death>
  readonly acknowledged: number
  readonly answers: Readonly<Record<string, number>>
  readonly faults: ReadonlyArray<string>
}

interface Load {
  readonly servers: ReadonlyArray<Running>
  isOver: boolean
  /** How many uploads of a repository were acknowledged. */
  readonly acknowledged: Map<string, number>
  /** The statuses of a repository since the last death. */
  readonly statuses: Map<string, Array<number>>
  readonly answers: Record<string, number>
  readonly faults: Array<string>
}

/** Kills each node `rounds` times, for `downMs` each. */
export const run = async (
  cluster: Cluster,
  { downMs, rounds }: { readonly downMs: number; readonly rounds: number }
) => {
  await using one = await startServer(cluster)
  await using two = await startServer(cluster)
  const load: Load = {
    servers: [one, two],
    isOver: false,
    acknowledged: new Map(),
    statuses: new Map(),
    answers: {},
    faults: []
  }
  const reporting = Promise.all([
    ...repositories.map((repository, index) => report(load, repository, index)),
    create(load)
  ])
  const deaths: Array<Death> = []
  try {
    await everyRepositoryTaken(load, "before a node was killed")
    for (let round = 0; round < rounds; round++) {
      for (const node of nodes) deaths.push(await die(load, cluster, node, downMs))
    }
  } finally {
    load.isOver = true
  }
  await reporting
  for (const { node, refused, served } of deaths) {
    if (refused === 0) load.faults.push(`no repository noticed that ${node} was dead`)
    if (node !== "coord" && served === 0) load.faults.push(`no repository was served while ${node} was dead`)
  }
  load.faults.push(...(await miscounted(load, cluster)))
  for (const repository of repositories) load.faults.push(...(await faultsOf(load, repository)))
  for (const { logged } of load.servers) {
    const failures = logged()
      .split("\n")
      .filter((line) => line.includes("The request failed"))
    load.faults.push(...failures.map((line) => line.slice(0, 3000)))
  }
  const acknowledged = [...load.acknowledged.values()].reduce((sum, each) => sum + each, 0)
  return { deaths, acknowledged, answers: load.answers, faults: load.faults } satisfies Outcome
}

const startServer = ({ url }: Cluster): Promise<Running> =>
  serve({ cwd: "/tmp", env: { LAZARET_STORE: "postgres", DATABASE_URL: url, LAZARET_ADMIN_KEY: adminKey } })

const die = async (load: Load, cluster: Cluster, node: Node, downMs: number): Promise<Death> => {
  cluster.kill(node)
  // Answers that were on their way when it died say nothing about a dead node.
  await sleep(downMs / 3)
  load.statuses.clear()
  if (node !== "coord") load.faults.push(...(await faultsWithout(load, cluster, node)))
  await sleep(downMs)
  const all = repositories.map((repository) => load.statuses.get(repository) ?? [])
  const served = all.filter((statuses) => statuses.length > 0 && statuses.every((each) => each === 201)).length
  const refused = all.filter((statuses) => statuses.includes(503)).length
  cluster.start(node)
  await everyRepositoryTaken(load, `after ${node} came back`)
  return { node, served, refused }
}

/** The faults of what needs the coordinator alone: a server starts, and creates a key. */
const faultsWithout = async (load: Load, cluster: Cluster, dead: Node): Promise<ReadonlyArray<string>> => {
  await using server = await startServer(cluster)
  const { status, text } = await send({ ...load, servers: [server] }, 0, "/v1/application-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: `made without ${dead}`, owner: null, scope: "upload" })
  })
  return status === 201 ? [] : [`a new key while ${dead} was dead: ${status} ${text}`]
}

const everyRepositoryTaken = async (load: Load, when: string): Promise<void> => {
  load.statuses.clear()
  await until(
    `every repository takes uploads ${when}`,
    () => repositories.every((repository) => load.statuses.get(repository)?.includes(201) === true),
    6000
  )
}

/** Uploads one report after the other, each until it is acknowledged, to both servers in turn. */
const report = async (load: Load, repository: string, offset: number): Promise<void> => {
  for (let upload = 0; !load.isOver; upload++) {
    for (let attempt = 0; !(await isTaken(load, repository, { upload, server: offset + attempt })); attempt++) {
      await sleep(100)
    }
    load.acknowledged.set(repository, upload + 1)
  }
}

/** Creates one repository after the other with its first upload, which writes to every node. */
const create = async (load: Load): Promise<void> => {
  for (let index = 0; !load.isOver; index++) {
    const repository = `new-${index}`
    for (let attempt = index; !(await isTaken(load, repository, { upload: 0, server: attempt })); attempt++) {
      if (load.isOver) return
      await sleep(100)
    }
    load.acknowledged.set(repository, 1)
    await sleep(500)
  }
}

const isTaken = async (
  load: Load,
  repository: string,
  { server, upload }: { readonly upload: number; readonly server: number }
): Promise<boolean> => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: "unit",
    branch: "main",
    commit: `c${upload}`,
    idempotency_key: `upload ${upload}`
  })
  const answer = await send(load, server, `${pathOf(repository)}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite name="s"><testcase name="law"/><testcase name="other ${upload % 50}"/></testsuite>`
  })
  load.answers[answer.status] = (load.answers[answer.status] ?? 0) + 1
  const statuses = load.statuses.get(repository) ?? []
  load.statuses.set(repository, [...statuses, answer.status])
  if (answer.status !== 201 && answer.status !== 503) load.faults.push(`${repository}: ${answer.status} ${answer.text}`)
  if (answer.status === 503 && answer.retryAfter === null) load.faults.push(`${repository}: 503 without Retry-After`)
  return answer.status === 201
}

const pathOf = (repository: string): string => `/v1/ci/acme/repositories/${repository}`

const send = async ({ servers }: Load, server: number, path: string, request: RequestInit) => {
  const { url = "" } = servers[server % servers.length] ?? {}
  try {
    const response = await fetch(url + path, {
      ...request,
      headers: { authorization: `Bearer ${adminKey}`, ...request.headers },
      signal: AbortSignal.timeout(60_000)
    })
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get("retry-after"), text: text.slice(0, 300) }
  } catch (error) {
    return { status: 0, retryAfter: null, text: String(error) }
  }
}

/** The repositories that lost or doubled an acknowledged upload. */
const miscounted = async (load: Load, { url }: Cluster): Promise<ReadonlyArray<string>> => {
  const rows = await Effect.runPromise(
    Effect.flatMap(
      PostgresClient,
      ({ sql }) => sql<{ readonly repository: string; readonly executions: number }>`
        SELECT repository, count(*)::int AS executions FROM executions WHERE test_name = 's.law' GROUP BY repository`
    ).pipe(Effect.provide(PostgresClient.layer(Redacted.make(url))))
  )
  const stored = new Map(rows.map(({ executions, repository }) => [repository, executions]))
  return [...load.acknowledged].flatMap(([repository, expected]) => {
    const found = stored.get(repository)
    return expected === found ? [] : [`${repository}: ${expected} uploads were acknowledged, and ${found} are stored`]
  })
}

/** The faults of one repository, as it finds itself. */
const faultsOf = async (load: Load, repository: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const server of [0, 1]) {
    const { text } = await send(load, server, `${pathOf(repository)}/verify`, { method: "POST" })
    if (!text.includes(`"differences":[],"total":0`)) faults.push(`${repository}: verify finds ${text}`)
  }
  const refolded = await send(load, 1, `${pathOf(repository)}/refold`, { method: "POST" })
  if (refolded.status !== 200) faults.push(`${repository}: refold is ${refolded.status} ${refolded.text}`)
  return faults
}
