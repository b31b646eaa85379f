/** Uploads to several repositories through two servers on a cluster, while something happens to its nodes. */
import { setTimeout as sleep } from "node:timers/promises"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Redacted } from "effect"
import { adminKey, type Running, serve, until } from "../lazaretProcess.ts"

/** The uploads while they go on. */
export interface Load {
  readonly url: string
  readonly servers: ReadonlyArray<Running>
  /** The repositories that take uploads from the beginning to the end; others are created meanwhile. */
  readonly repositories: ReadonlyArray<string>
  isOver: boolean
  /** How many uploads of a repository were acknowledged. */
  readonly acknowledged: Map<string, number>
  /** The statuses of a repository since they were last cleared. */
  readonly statuses: Map<string, Array<number>>
  readonly answers: Record<string, number>
  /** The longest time to an answer, in milliseconds. */
  slowest: number
  readonly faults: Array<string>
}

/** The outcome; without faults, every acknowledged upload counts exactly once. */
export interface Outcome {
  readonly acknowledged: number
  readonly answers: Readonly<Record<string, number>>
  readonly slowest: number
  readonly faults: ReadonlyArray<string>
}

/** Sends uploads until `scene` has ended, each again until it is acknowledged, and then counts what is stored. */
export const during = async (url: string, name: string, scene: (load: Load) => Promise<void>): Promise<Outcome> => {
  await using one = await startServer(url)
  await using two = await startServer(url)
  const load: Load = {
    url,
    servers: [one, two],
    repositories: Array.from({ length: 8 }, (_, index) => `${name}-${index}`),
    isOver: false,
    acknowledged: new Map(),
    statuses: new Map(),
    answers: {},
    slowest: 0,
    faults: []
  }
  const reporting = Promise.all([
    ...load.repositories.map((repository, index) => report(load, repository, index)),
    create(load, name)
  ])
  try {
    await everyRepositoryTaken(load, "at first")
    await scene(load)
  } finally {
    load.isOver = true
  }
  await reporting
  load.faults.push(...(await miscounted(load)))
  for (const repository of load.repositories) load.faults.push(...(await faultsOf(load, repository)))
  for (const { logged } of load.servers) {
    const failures = logged()
      .split("\n")
      .filter((line) => line.includes("The request failed"))
    load.faults.push(...failures.map((line) => line.slice(0, 3000)))
  }
  const acknowledged = [...load.acknowledged.values()].reduce((sum, each) => sum + each, 0)
  return { acknowledged, answers: load.answers, slowest: Math.round(load.slowest), faults: load.faults }
}

/** Starts another server on the database. */
export const startServer = (url: string): Promise<Running> =>
  serve({ cwd: "/tmp", env: { LAZARET_STORE: "postgres", DATABASE_URL: url, LAZARET_ADMIN_KEY: adminKey } })

/** Waits until every repository has taken an upload from now on. */
export const everyRepositoryTaken = async (load: Load, when: string): Promise<void> => {
  load.statuses.clear()
  await until(
    `every repository takes uploads ${when}`,
    () => load.repositories.every((repository) => load.statuses.get(repository)?.includes(201) === true),
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
const create = async (load: Load, name: string): Promise<void> => {
  for (let index = 0; !load.isOver; index++) {
    const repository = `new-${name}-${index}`
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
  const started = performance.now()
  const answer = await send(load, server, `${pathOf(repository)}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite name="s"><testcase name="law"/><testcase name="other ${upload % 50}"/></testsuite>`
  })
  load.slowest = Math.max(load.slowest, performance.now() - started)
  load.answers[answer.status] = (load.answers[answer.status] ?? 0) + 1
  const statuses = load.statuses.get(repository) ?? []
  load.statuses.set(repository, [...statuses, answer.status])
  if (answer.status !== 201 && answer.status !== 503) load.faults.push(`${repository}: ${answer.status} ${answer.text}`)
  if (answer.status === 503 && answer.retryAfter === null) load.faults.push(`${repository}: 503 without Retry-After`)
  return answer.status === 201
}

const pathOf = (repository: string): string => `/v1/ci/acme/repositories/${repository}`

/** Sends a request to one of the servers. */
export const send = async (
  { servers }: Pick<Load, "servers">,
  server: number,
  path: string,
  request: RequestInit = {}
) => {
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
const miscounted = async ({ acknowledged, url }: Load): Promise<ReadonlyArray<string>> => {
  const rows = await Effect.runPromise(
    Effect.flatMap(
      PostgresClient,
      ({ sql }) => sql<{ readonly repository: string; readonly executions: number }>`
        SELECT repository, count(*)::int AS executions FROM executions WHERE test_name = 's.law' GROUP BY repository`
    ).pipe(Effect.provide(PostgresClient.layer(Redacted.make(url))))
  )
  const stored = new Map(rows.map(({ executions, repository }) => [repository, executions]))
  return [...acknowledged].flatMap(([repository, expected]) => {
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
