/** The command `lazaret stress` in a folder of its own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"

const job = ["--repo", "acme/stress", "--pipeline", "CI", "--job", "unit"]

const topic = ["--commit", "c1", "--branch", "topic"]

/** The variables of a job. */
export const env = Effect.map(HttpServer.HttpServer, (server) => ({
  LAZARET_URL: Server.urlOf(server),
  LAZARET_TOKEN: "key",
  PATH: process.env["PATH"] ?? ""
}))

/** The folder of a job, until the test ends. */
export const placeOf = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-stress-"))),
  (place) => Effect.sync(() => rmSync(place, { recursive: true }))
)

/** Two runs exclude a test that fails in half of its runs, with 75 %. */
export const twice = ["--until", "75%", "--below", "50%"]

/** Runs the command in the folder of a job, on a commit of a topic branch unless `on` names another one. */
export const stress = (
  place: string,
  args: ReadonlyArray<string>,
  command: ReadonlyArray<string>,
  on: ReadonlyArray<string> = topic
) =>
  Effect.flatMap(env, (variables) =>
    run(["stress", ...job, ...on, "--reports", place, ...args, "--", ...command], variables)
  )
