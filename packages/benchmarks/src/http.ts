/** Requests against a raw `node:http` server that answers the same bytes. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { TestId } from "@lazaret/domain"
import type { Answer } from "./http/Answer.ts"
import { ref, secret, testName } from "./http/data.ts"
import { send } from "./http/Load.ts"
import type { Pairs } from "./Section.ts"

const base = `/v1/ci/${ref.owner}/repositories/${ref.repository}`

const routes = [
  { name: "test details", path: `${base}/tests/${TestId.of(testName(0))}`, requests: 4000 },
  {
    name: "a search of 10 of 2,000 identities",
    path: `${base}/search/tests?per_page=10&health_status=flaky`,
    requests: 2000
  },
  { name: "a list of 1,000 quarantines", path: `${base}/quarantines`, requests: 200 }
]

/** HTTP benchmarks. Aim: at least half of the raw server's requests for details and the quarantine list. */
export const http: Pairs = {
  name: "http",
  pairs: async () => {
    const [service, raw] = await Promise.all([start("lazaret"), start("raw")])
    const answers = await Promise.all(
      routes.map(async ({ path }) => [path, await answerOf(service.port, path)] as const)
    )
    raw.child.send({ answers })
    await once(raw.child, "message")
    return routes.map(({ name, path, requests }) => ({
      name: `${name}, 32 connections, against a raw node:http server with the same bytes`,
      rounds: 12,
      reference: load(raw.port, path, requests),
      subject: load(service.port, path, requests)
    }))
  },
  note: ({ ratio, name }) => {
    const requests = routes.find((route) => name.startsWith(route.name))?.requests ?? 0
    return `${(1 / ratio).toFixed(2)} of the raw server's requests per second (${requests} a round)`
  },
  close: () => children.forEach((child) => child.disconnect())
}

const load = (port: number, path: string, requests: number) => () =>
  send({ port, path, token: secret, connections: 32, requests })

const children: Array<ChildProcess> = []

const start = async (name: string): Promise<{ readonly child: ChildProcess; readonly port: number }> => {
  const child = fork(new URL(`./http/${name}.ts`, import.meta.url), { execArgv: ["--conditions=@lazaret/source"] })
  children.push(child)
  // The first message of both programs is their port.
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }]
  return { child, port }
}

const answerOf = async (port: number, path: string): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${body}`)
  const kept = [...response.headers].filter(([name]) => !["date", "connection", "keep-alive"].includes(name))
  return { headers: Object.fromEntries(kept), body }
}
