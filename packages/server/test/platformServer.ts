/** The start of a server with a hosting platform, and requests, uploads and commands to it. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import type { SimulatedGitHub } from "@lazaret/forge-simulated"
import { ConfigProvider, Effect, Option, Redacted, Stream } from "effect"
import { Zip } from "effect/encoding"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import * as Settings from "../src/Settings.ts"
import { run } from "./lazaretEffect.ts"

/** The admin key of the server. */
export const admin = "key-of-this-server"

/** The address of the server. */
export const address = Effect.map(HttpServer.HttpServer, Server.urlOf)

/** Writes secrets into files of a folder, and yields the variables that name them. */
export const filesOf = (folder: string, secrets: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, text]) => {
      writeFileSync(join(folder, name), text)
      return [`${name}_FILE`, join(folder, name)]
    })
  )

/** The secrets of the app of a simulated GitHub, by the variables of the server. */
export const secretsOf = ({ app }: Pick<SimulatedGitHub.SimulatedGitHub, "app">): Readonly<Record<string, string>> => ({
  LAZARET_GITHUB_APP_PRIVATE_KEY: app.privateKey,
  LAZARET_GITHUB_WEBHOOK_SECRET: app.webhookSecret
})

/** The settings of an environment, in memory on a free port. Each of `secrets` becomes a file that its variable names. */
export const settingsOf = (
  environment: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>
): Effect.Effect<Settings.Settings> => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-platform-"))
  const whole = { PORT: "0", LAZARET_STORE: "memory", ...environment, ...filesOf(folder, secrets) }
  return Settings.load(Option.none()).pipe(
    Effect.provide([ConfigProvider.layer(ConfigProvider.fromEnvRecord(whole)), NodeServices.layer]),
    Effect.orDie
  )
}

/** A server in memory with settings. */
export const serverOf = (settings: Settings.Settings) => Server.layer(settings, Redacted.make(admin))

/** A server in memory that is connected to a simulated GitHub. Its requests to GitHub are not spaced, which takes seconds. */
export const serverAt = Effect.fnUntraced(function* (
  github: Pick<SimulatedGitHub.SimulatedGitHub, "app" | "url">,
  environment: Readonly<Record<string, string>> = {}
) {
  const { app, url } = github
  const own = { LAZARET_GITHUB_API_URL: url, LAZARET_GITHUB_APP_ID: String(app.id) }
  const settings = yield* settingsOf({ ...environment, ...own }, secretsOf(github))
  return serverOf({ ...settings, gitHub: settings.gitHub === null ? null : { ...settings.gitHub, isPaced: false } })
})

/** Repeats a question until its answer is as it should be, with pauses of 20 ms. */
export const untilAnswer = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  holds: (answer: A) => boolean,
  attempts = 500
): Effect.Effect<A, E, R> =>
  Effect.flatMap(ask, (answer) => {
    if (holds(answer)) return Effect.succeed(answer)
    assert.isAbove(attempts, 0, `stays at ${JSON.stringify(answer)}`)
    return Effect.andThen(Effect.sleep(20), untilAnswer(ask, holds, attempts - 1))
  })

/** The fields of answers that the tests read. */
interface Answer {
  readonly id?: string
  readonly artifacts?: ReadonlyArray<string>
  readonly runs?: ReadonlyArray<{ readonly base_branch: string | null }>
  readonly fork_runs?: ReadonlyArray<{ readonly branch: string; readonly failed: number }>
  readonly failures?: ReadonlyArray<{ readonly owners: ReadonlyArray<string>; readonly line: string }>
}

/** The answer to a request below `/v1/ci/{owner}/repositories`; it must succeed. */
export const ask = (method: string, path: string, body?: object): Effect.Effect<Answer, never, HttpServer.HttpServer> =>
  Effect.flatMap(address, (url) =>
    Effect.promise(() =>
      fetch(`${url}/v1/ci/acme/repositories/${path}`, {
        method,
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).then((response) => {
        assert.isBelow(response.status, 300)
        return response.status === 204 ? {} : response.json()
      })
    )
  )

/** The base of pull requests. */
export const base = "f".repeat(40)

/** Uploads a report of the job `CI / unit`: of `main` when it is on the base, else of a pull request to it, or of a push. */
export const upload = (
  repository: string,
  report: { readonly cases: string; readonly on: string; readonly run: string; readonly isPush?: boolean }
) =>
  Effect.flatMap(address, (url) =>
    Effect.promise(() => {
      const { cases, on, run: run_id, isPush = on === base } = report
      const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit: on, run_id })
      query.set("branch", on === base ? "main" : "topic")
      if (!isPush) query.set("base_branch", "main")
      const [owner, name] = repository.split("/")
      return fetch(`${url}/v1/ci/${owner}/repositories/${name}/reports?${query.toString()}`, {
        method: "POST",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/xml" },
        body: `<testsuite name="cart">${cases}</testsuite>`
      }).then(({ status }) => assert.strictEqual(status, 201))
    })
  )

/** Repeats a check until it holds, with pauses of 20 ms, and fails after `attempts`. */
export const until = (holds: () => boolean, attempts = 2000): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (holds()) return Effect.void
    assert.isAbove(attempts, 0, `did not become true: ${holds}`)
    return Effect.andThen(Effect.sleep(20), until(holds, attempts - 1))
  })

/** The JSON that a command prints about the server. */
export const lazaret = (args: ReadonlyArray<string>) =>
  Effect.flatMap(address, (url) => run([...args, "--json"], { LAZARET_URL: url, LAZARET_TOKEN: admin })).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => {
      assert.strictEqual(exitCode, 0, stderr)
      return JSON.parse(stdout)
    })
  )

/** A test that a search found. */
export interface Found {
  readonly test_name: string
  readonly pipeline_name: string
  readonly job_name: string
}

/** The tests of a repository. */
export const searched = (repo: string) =>
  Effect.map(lazaret(["tests", "search", "--repo", repo]), (found): ReadonlyArray<Found> => found.tests)

/** A zip archive of files. */
export const zipOf = (files: Readonly<Record<string, string>>) =>
  Stream.fromIterable(Object.entries(files).map(([path, text]) => Zip.file(path, text))).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runCollect,
    Effect.map((pieces): Uint8Array => Buffer.concat(pieces)),
    Effect.orDie
  )

/** An instant some days ago. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

/** A JUnit report of one test. */
export const junit = (name: string, failure = "") =>
  `<testsuite><testcase name="${name}" time="1">${failure}</testcase></testsuite>`
