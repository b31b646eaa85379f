/**
 * `npm run stories -- --seed 1 [--speed 8] [--kills 12] [--only text]...`: plays all stories at once, each in a repository of its own, through a
 * server in a process of its own with PostgreSQL, which gets SIGKILL at moments that follow from the seed.
 *
 * A story ends when the queue is as it should be, and stays so for two minutes; or after its hour. Fails when an innocent pull
 * request left, a bad one was merged, or the platform gave up on a check that nothing held.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { SimulatedGitHub } from "@lazaret/forge-simulated"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Context, Effect, Layer } from "effect"
import * as Chance from "../crash/Chance.ts"
import { filesOf, secretsOf } from "../platformServer.ts"
import * as Play from "./Play.ts"
import * as ScaledTime from "./ScaledTime.ts"
import { stories } from "./Stories.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    speed: { type: "string", default: "8" },
    only: { type: "string", multiple: true, default: [""] },
    kills: { type: "string", default: "12" },
    log: { type: "boolean", default: false }
  }
})

const adminKey = "the-key-of-the-stories"
const clock = ScaledTime.begin(Number(values.speed))
const time = ScaledTime.of(clock)
const chance = Chance.make(Number(values.seed))
const chosen = Object.entries(stories).filter(([name]) => values.only.some((part) => name.includes(part)))

const platform = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-stories-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }
  const context = yield* Layer.build(EmbeddedPostgres.layer({ folder: join(folder, "data"), settings }))
  const github = yield* SimulatedGitHub.start
  return { github, files: filesOf(folder, secretsOf(github)), database: Context.get(context, EmbeddedPostgres).url }
})

const run = Effect.gen(function* () {
  const { database, files, github } = yield* platform
  github.install("acme")
  github.grant({ contents: "write" })
  Object.assign(github.server.quota, { limit: 1_000_000_000 })
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...clock,
    ...files,
    DATABASE_URL: database,
    LAZARET_ADMIN_KEY: adminKey,
    LAZARET_GITHUB_API_URL: github.url,
    LAZARET_GITHUB_APP_ID: String(github.app.id)
  }

  /** Starts a server and waits until it listens. */
  const start = (port: string) =>
    new Promise<{ readonly url: string; readonly kill: () => Promise<void> }>((resolve, reject) => {
      const entry = fileURLToPath(new URL("scaledServer.ts", import.meta.url))
      const child = spawn(process.execPath, ["--conditions=@lazaret/source", entry], { env: { ...env, PORT: port } })
      let printed = ""
      let logged = ""
      const ended = new Promise<void>((end) => child.once("close", () => end()))
      child.stderr.on("data", (text) => (logged += text))
      child.stdout.on("data", (text) => {
        printed += text
        if (values.log) process.stdout.write(text)
        const url = /is ready at (\S+)/u.exec(printed)?.[1]
        if (url === undefined) return
        resolve({
          url,
          kill: () => {
            child.kill("SIGKILL")
            return ended
          }
        })
      })
      void ended.then(() => reject(new Error(`the server ended: ${printed.slice(-2000)}${logged.slice(-2000)}`)))
    })

  return yield* Effect.promise(async () => {
    let server = await start("0")
    const { port, origin } = new URL(server.url)
    const playing = Play.all({ github, time, url: origin, adminKey, stories: chosen })
    const isOver = playing.then(() => true)
    let kills = 0
    while (kills < Number(values.kills)) {
      const pause = sleep(3000 + chance.below(12_000)).then(() => false)
      if (await Promise.race([isOver, pause])) break
      await server.kill()
      kills += 1
      server = await start(port)
    }
    const outcomes = await playing
    await server.kill()
    return { kills, outcomes }
  })
}).pipe(Effect.scoped)

const { kills, outcomes } = await Effect.runPromise(run)
for (const { faults, minutes, name } of outcomes) {
  console.log(`${faults.length === 0 ? "ok    " : "BROKEN"} ${minutes.toFixed(0).padStart(3)} min  ${name}`)
  for (const fault of faults) console.log(`         ${fault}`)
}
const sum = (of: (outcome: Play.Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0)
console.log(
  `\n${outcomes.length} stories, ${kills} kills: ${sum(({ innocents }) => innocents)} innocents evicted, ` +
    `${sum(({ bad }) => bad)} bad merged, ${sum(({ timeouts }) => timeouts)} timeouts without a hold`
)
if (kills === 0 || outcomes.some(({ faults }) => faults.length > 0)) process.exitCode = 1
