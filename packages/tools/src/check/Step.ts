/**
 * The steps of the two suites: the cheap ones that fail most often first, the tests last, so that the log ends with the list of
 * those that failed. Others run side by side, and print when they end.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Totals from "./Totals.ts"

/** Takes what a step prints. */
export type Print = (text: string) => void

/** A step: its heading and what it yields when it runs. */
export interface Step {
  readonly title: string
  readonly run: (print: Print) => Promise<Totals.Totals>
}

/** Steps side by side: each lane is done in its order. Lanes that wait for a disk or a lock leave the processors to others. */
export type Lanes = ReadonlyArray<ReadonlyArray<Step>>

/** A script of the package at the top, as a check. */
const script = (name: string, title = name, ...args: ReadonlyArray<string>): Step => ({
  title,
  run: async (print) => Totals.one((await npmRun(print, name, ...args)) === 0)
})

/** Runs the tests of a script, and counts them in the report that it writes. */
const tests = (name: string, title: string, path: string): Step => {
  const report = join(Workspace.root, path)
  return {
    title,
    run: async (print) => {
      rmSync(report, { force: true })
      const exitCode = await npmRun(print, name)
      return Totals.ofTests(existsSync(report) ? readFileSync(report, "utf8") : null, exitCode)
    }
  }
}

const npmRun = (print: Print, name: string, ...args: ReadonlyArray<string>): Promise<number | null> =>
  npm(print, ["run", "--silent", name, "--", ...args])

/** Colours where somebody reads along: what is piped would have none. */
const env = process.stdout.isTTY ? { FORCE_COLOR: "1", ...process.env } : process.env

/** Runs npm to its end, and yields its exit code. */
const npm = (print: Print, args: ReadonlyArray<string>, timeout = 0): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn("npm", args, { cwd: Workspace.root, env, stdio: ["ignore", "pipe", "pipe"], timeout })
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", print)
    child.once("error", () => resolve(null))
    child.once("close", resolve)
  })

/**
 * The type check that knows Effect: it finds an effect that is never run and a `yield` without its star.
 *
 * **Details**
 *
 * The tool cannot be in the lock file (`docs/decisions/0001-effect-4.md`), so it is fetched by `npm exec`. Where it cannot
 * be fetched the step says so and counts as nothing; what it finds is a failure.
 *
 * **Gotchas**
 *
 * Without `--lspconfig` the tool looks at no file and reports success, hence the look at its count of files.
 */
const effectAware: Step = {
  title: "types, with the rules of Effect",
  run: async (print) => {
    if ((await effectTool(["--version"])).status !== 0) {
      print("!!! SKIPPED: effect-tsgo could not be fetched, so nothing checked the use of Effect !!!\n")
      return Totals.none
    }
    const { status, stdout } = await effectTool([
      "diagnostics",
      "--project",
      "tsconfig.json",
      "--lspconfig",
      "{}",
      "--strict",
      "--severity",
      "error,warning"
    ])
    print(`${stdout.trim()}\n`)
    return Totals.one(status === 0 && /^Checked [1-9]\d* files/m.test(stdout))
  }
}

/**
 * The search for exports, files and dependencies that nothing uses. The lock file cannot hold the tool, because packages of its
 * parser for some platforms are missing from registries, so `npm exec` fetches it. A tool that cannot be fetched is skipped.
 */
const unused: Step = {
  title: "unused exports and dependencies",
  run: async (print) => {
    if ((await npmRun(print, "unused", "--version")) !== 0) {
      print("!!! SKIPPED: knip could not be fetched, so nothing searched for unused exports !!!\n")
      return Totals.none
    }
    return script("unused").run(print)
  }
}

/** Lazaret on a cluster of three nodes. Where there is no cluster to start, the command says so. */
const distributed = script("test:citus", "a distributed database", "--short")

/** A fail-over of the database. Where there is no PostgreSQL to start, the command says so. */
const failOver = script("failover", "a fail-over of the database", "--short")

/** The lanes of `npm test`: what a contributor waits for. */
export const test: ReadonlyArray<Lanes> = [
  [
    // The types come before the linter, which reads what they were built to.
    [script("format:check", "format"), script("types"), script("lint")],
    [
      script("boundaries"),
      script("links"),
      script("words"),
      script("reference:check", "reference pages"),
      script("examples")
    ]
  ],
  [[tests("vitest", "tests", "reports/junit.xml")]]
]

/** The lanes of `npm run check`: what is slow, and fails rarely. The packages are packed in their folders, by one step at a time. */
export const check: ReadonlyArray<Lanes> = [
  [
    [distributed],
    [
      script("published", "published packages"),
      script("consumer", "packages as others use them"),
      effectAware,
      unused,
      failOver
    ]
  ],
  [[tests("vitest:long", "long tests", "reports/junit-long.xml")]]
]

const effectPackages = ["@effect/tsgo@0.45.0", "typescript@7.0.2"].map((each) => `--package=${each}`)

const effectTool = async (args: ReadonlyArray<string>) => {
  let stdout = ""
  const tool = ["exec", "--yes", "--fetch-retries=1", ...effectPackages, "--", "effect-tsgo", ...args]
  const status = await npm((text) => (stdout += text), tool, 600_000)
  return { status, stdout }
}
