/** A gate whose server is killed in the middle of its rounds, and followed by another one on the same data folder. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { SimulatedGitHub } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { run as runCommand } from "../lazaretEffect.ts"
import { adminKey, serve } from "../lazaretProcess.ts"
import { filesOf, secretsOf } from "../platformServer.ts"
import * as Play from "../stories/Play.ts"
import { flaky, green } from "../stories/Pulls.ts"
import * as ScaledTime from "../stories/ScaledTime.ts"
import { file } from "../stories/Stories.ts"
import * as World from "../stories/World.ts"

/** A place of a round: the operation of the platform at which the server dies, before or after the effect. */
export interface Place {
  readonly operation: string
  readonly when: "before" | "after"
}

/** The end of the queue, and of each take-over. */
export interface Outcome {
  readonly merged: ReadonlyArray<number>
  /** The words of the platform for every removal. */
  readonly removals: ReadonlyArray<string>
  /** The attempts of the runs of all groups, in the order of their start. */
  readonly attempts: ReadonlyArray<number>
  /** The sentences of the queue about each pull request. */
  readonly sentences: ReadonlyArray<ReadonlyArray<string>>
  /** The milliseconds from the start of each next server to its first read of the queue. */
  readonly takeovers: ReadonlyArray<number>
}

const repository = "killed"

/** The jobs of CI take three seconds. The second pull request meets a known flake once. */
const pulls = [green, flaky, green].map((pull) => ({ ...pull, minutes: 0.05 }))

/** Three pull requests land through servers that die at these places, one after the other, in the order in which they come. */
export const run = (places: ReadonlyArray<Place>): Promise<Outcome> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-gate-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const github = yield* SimulatedGitHub.start
        return yield* Effect.promise(() => land(github, home, places))
      })
    )
  )

const land = async (
  github: SimulatedGitHub.SimulatedGitHub,
  home: string,
  places: ReadonlyArray<Place>
): Promise<Outcome> => {
  const { faults, seen } = github.server
  github.install("acme")
  github.grant({ contents: "write" })
  let server = await serve({ cwd: home, env: environment(github, home, "0") })
  const { port } = new URL(server.url)
  try {
    const world = World.make(
      {
        github,
        time: ScaledTime.of(ScaledTime.begin(1)),
        upload: Play.uploader(server.url, adminKey),
        deliver: () => Effect.runPromise(github.flush(`${server.url}/v1/webhooks/github`))
      },
      repository,
      pulls,
      file(),
      { timeout: 25, minimum: 1, isHeadGreen: false }
    )
    /** The platform goes on until something is so, for four minutes at most. */
    const until = async (what: string, holds: () => boolean): Promise<void> => {
      for (const end = performance.now() + 240_000; !holds(); await sleep(50)) {
        if (performance.now() > end) throw new Error(`never: ${what}`)
        await world.turn()
      }
    }
    await world.configure(file())
    await Play.commander(server.url, adminKey, repository)("waive-trial", "--reason", "a test")
    await world.prepare()
    world.open()
    world.enter(1, 2, 3)
    await world.turn()
    for (const { operation, when } of places) faults.next(operation, { kind: "Silence", when })
    await world.configure(file())
    const isMet = ({ operation }: Place) => seen.some((each) => each.operation === operation && each.status === 0)
    const takeovers: Array<number> = []
    for (let open = places; open.length > 0; open = open.filter((place) => !isMet(place))) {
      await until("a request without an answer", () => open.some(isMet))
      await server.stop("SIGKILL")
      const before = seen.length
      server = await serve({ cwd: home, env: environment(github, home, port) })
      const started = performance.now()
      await until("a read of the queue", () => seen.slice(before).some((each) => each.operation === "graphql"))
      takeovers.push(performance.now() - started)
    }
    await until("an empty queue", () => world.repository.queue?.length === 0)
    return {
      merged: world.merged(),
      removals: world.removals().map(({ reason }) => reason),
      attempts: world.repository.runs.filter(({ event }) => event === "merge_group").map(({ attempt }) => attempt),
      sentences: await Promise.all(pulls.map((_, index) => sentencesOf(server.url, index + 1))),
      takeovers
    }
  } finally {
    await server.stop("SIGTERM")
  }
}

const environment = (github: SimulatedGitHub.SimulatedGitHub, home: string, port: string) => {
  return {
    LAZARET_STORE: "embedded",
    LAZARET_ADMIN_KEY: adminKey,
    LAZARET_GITHUB_API_URL: github.url,
    LAZARET_GITHUB_APP_ID: String(github.app.id),
    PORT: port,
    ...filesOf(home, secretsOf(github))
  }
}

/** Yields the sentences of the queue about a pull request. */
const sentencesOf = async (url: string, number: number): Promise<ReadonlyArray<string>> => {
  const question = ["queue", "why", String(number), "--repo", `acme/${repository}`, "--json"]
  const { stdout } = await Effect.runPromise(runCommand(question, { LAZARET_URL: url, LAZARET_TOKEN: adminKey }))
  const { lines }: { readonly lines: ReadonlyArray<{ readonly sentence: string }> } = JSON.parse(stdout)
  return lines.map(({ sentence }) => sentence)
}
