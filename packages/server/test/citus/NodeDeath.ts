/** Nodes of a cluster are killed while two servers take uploads to several repositories. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Cluster, type Node, nodes } from "./Cluster.ts"
import * as Load from "./Load.ts"

/** The answers while one node was dead: the repositories that were answered 201 all the time, and those with 503. */
export interface Death {
  readonly node: Node
  readonly served: number
  readonly refused: number
}

/** Kills each node `rounds` times, for `downMs` each. */
export const run = async (
  cluster: Cluster,
  { downMs, rounds }: { readonly downMs: number; readonly rounds: number }
): Promise<Load.Outcome & { readonly deaths: ReadonlyArray<Death> }> => {
  const deaths: Array<Death> = []
  const outcome = await Load.during(cluster.url, "node-death", async (load) => {
    for (let round = 0; round < rounds; round++) {
      for (const node of nodes) deaths.push(await die(load, cluster, node, downMs))
    }
    for (const { node, refused, served } of deaths) {
      if (refused === 0) load.faults.push(`no repository noticed that ${node} was dead`)
      if (node !== "coord" && served === 0) load.faults.push(`no repository was served while ${node} was dead`)
    }
  })
  return { deaths, ...outcome }
}

const die = async (load: Load.Load, cluster: Cluster, node: Node, downMs: number): Promise<Death> => {
  cluster.kill(node)
  // Answers that were on their way when it died say nothing about a dead node.
  await sleep(downMs / 3)
  load.statuses.clear()
  if (node !== "coord") load.faults.push(...(await faultsWithout(load, node)))
  await sleep(downMs)
  const all = load.repositories.map((repository) => load.statuses.get(repository) ?? [])
  const served = all.filter((statuses) => statuses.length > 0 && statuses.every((each) => each === 201)).length
  const refused = all.filter((statuses) => statuses.includes(503)).length
  cluster.start(node)
  await Load.everyRepositoryTaken(load, `after ${node} came back`)
  return { node, served, refused }
}

/** The faults of what needs the coordinator alone: a server starts, and creates a key. */
const faultsWithout = async ({ url }: Load.Load, dead: Node): Promise<ReadonlyArray<string>> => {
  await using server = await Load.startServer(url)
  const { status, text } = await Load.send({ servers: [server] }, 0, "/v1/application-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: `made without ${dead}`, owner: null, scope: "upload" })
  })
  return status === 201 ? [] : [`a new key while ${dead} was dead: ${status} ${text}`]
}
