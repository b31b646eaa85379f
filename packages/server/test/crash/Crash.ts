/** The crash test: reporters upload, processes are killed, and afterwards every acknowledged upload counts exactly once. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Plain } from "@lazaret/store-conformance"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Logger } from "effect"
import { type Running, serve, until } from "../lazaretProcess.ts"
import * as Comparison from "./Comparison.ts"
import * as Plan from "./Plan.ts"
import * as Reference from "./Reference.ts"
import * as Reporter from "./Reporter.ts"
import * as Victims from "./Victims.ts"

/** The outcome of a run; a run without faults passed. */
export interface Outcome {
  readonly faults: ReadonlyArray<string>
  /** How often what was seen. */
  readonly seen: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly executions: number
  readonly tests: number
  readonly seconds: number
}

const token = "the-key-of-the-crash-test"

/** Runs a plan in a folder of its own. `scale` shortens the pauses of the reporters. */
export const run = async (size: Plan.Size, scale: number): Promise<Outcome> => {
  const started = performance.now()
  const plan = Plan.make(size, Date.now())
  const home = mkdtempSync(join(tmpdir(), "lazaret-crash-"))
  const seen: Record<string, number> = {}
  const faults: Array<string> = []
  const notes = {
    scale,
    seen: (what: string) => void (seen[what] = (seen[what] ?? 0) + 1),
    fault: (what: string) => void faults.push(what)
  }
  try {
    await using memory = await Reference.make(token)
    const { acknowledged, server } = await disturbed(plan, home, notes)
    for (const upload of acknowledged) await memory.record(upload)
    const names = new Set<string>()
    for (const fault of await differingAnswers(server, memory, names)) notes.fault(fault)
    await stopped(server, notes)
    for (const fault of await differingStores(home, memory, names)) notes.fault(fault)
    const executions = [...new Set(acknowledged)].reduce((sum, { cases }) => sum + cases, 0)
    const seconds = Math.round((performance.now() - started) / 1000)
    return { faults, seen, acknowledged: acknowledged.length, executions, tests: names.size, seconds }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

type Notes = Pick<Reporter.Desk, "scale" | "seen" | "fault">

const start = (home: string, port: string) =>
  serve({ cwd: home, env: { LAZARET_STORE: "embedded", LAZARET_ADMIN_KEY: token, PORT: port } })

/** Lets the reporters report while the blows fall; yields what was acknowledged, in that order, and the last server. */
const disturbed = async (plan: Plan.Plan, home: string, notes: Notes) => {
  let server = await start(home, "0")
  const { port } = new URL(server.url)
  const acknowledged: Array<Plan.Upload> = []
  const desk = {
    ...notes,
    url: server.url,
    token,
    acknowledged: (upload: Plan.Upload) => void acknowledged.push(upload)
  }
  const reporting = Promise.all(plan.reporters.map((uploads) => Reporter.report(desk, uploads)))
  for (const { afterUploads, blow, delayMs } of plan.disasters) {
    const uploads = until(
      `${afterUploads} uploads are acknowledged`,
      () => acknowledged.length >= afterUploads,
      mostChecks
    )
    // A reporter that gives up ends the wait.
    await Promise.race([uploads, reporting.then(() => uploads)])
    await sleep(delayMs)
    if (blow === "server") {
      collect((await server.stop("SIGKILL")).stderr, notes)
      server = await start(home, port)
    } else {
      await struck(server, home, blow)
    }
    notes.seen(`blow to ${blow}`)
  }
  await reporting
  return { acknowledged, server }
}

const stopped = async (server: Running, notes: Notes): Promise<void> => {
  const { exitCode, stderr } = await server.stop("SIGTERM")
  if (exitCode !== 0) notes.fault(`the server ended with ${exitCode} after SIGTERM`)
  collect(stderr, notes)
}

/** Notes internal faults of the server from its log. */
const collect = (log: string, { fault }: Notes): void => {
  for (const line of log.split("\n")) if (line.includes("The request failed")) fault(line.slice(0, 3000))
}

/** Strikes, and waits until the database is used again: the next blow must hit something. */
const struck = async (server: Running, home: string, blow: Exclude<Plan.Blow, "server">): Promise<void> => {
  await until(`there is a process for a blow to ${blow}`, () => Victims.strike(join(home, "data"), blow), mostChecks)
  await sleep(20)
  await until("the server is ready", async () => (await fetch(`${server.url}/health/ready`)).status === 200, mostChecks)
}

/** Ten minutes with the pauses between checks. */
const mostChecks = 30_000

const refs = Plan.repositories.map((repository) => ({ owner: "acme", repository }))

/** The answers of the server that differ from memory, and the differences that it finds itself. */
const differingAnswers = async (server: Running, memory: Reference.Reference, names: Set<string>) => {
  const send = async (path: string, method = "GET") =>
    (await fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } })).text()
  const faults: Array<string> = []
  for (const { repository } of refs) {
    faults.push(...(await Comparison.overHttp((path) => send(path), memory.get, repository, names)))
    const verified = await send(`/v1/ci/acme/repositories/${repository}/verify`, "POST")
    if (!verified.includes(`"differences":[],"total":0`)) faults.push(`verify finds ${verified.slice(0, 500)}`)
  }
  return faults
}

/** The tests on which the stores differ, without a server between. */
const differingStores = async (home: string, memory: Reference.Reference, names: ReadonlySet<string>) => {
  const now = Date.now()
  const found = Effect.forEach(refs, (ref) =>
    Effect.all({
      ref: Effect.succeed(ref),
      histories: Comparison.histories(ref, names, now),
      upkeep: Comparison.upkeep(ref)
    })
  )
  const stores = EmbeddedPostgres.layerOn({ folder: join(home, "data") }, (url) => PostgresStores.layer({ url })).pipe(
    Layer.provide(Logger.layer([]))
  )
  const actual = await Effect.runPromise(Effect.provide(found, stores))
  const expected = await Reference.within(memory.stores, found)
  return actual.flatMap(({ histories, ref, upkeep }, index) => {
    const others = expected[index]?.histories ?? new Map<string, unknown>()
    const differing = [...histories].flatMap(([name, history]) => {
      const path = Plain.difference(history, others.get(name))
      return path === null ? [] : [`${ref.repository}: ${name} differs from memory at ${path}`]
    })
    return [
      ...differing,
      ...upkeep.map(({ kind, place }) => `${ref.repository}: ${kind} of ${place} is not as computed`)
    ]
  })
}
