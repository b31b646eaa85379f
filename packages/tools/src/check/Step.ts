/**
 * The steps of the two suites, in their order: the cheap ones that fail most often first, the tests last, so that the log
 * ends with the list of those that failed.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Totals from "./Totals.ts"

/** A step: its heading and what it yields when it runs. */
export interface Step {
  readonly title: string
  readonly run: () => Totals.Totals
}

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
  run: () => {
    if (effectTool(["--version"]).status !== 0) {
      console.log("!!! SKIPPED: effect-tsgo could not be fetched, so nothing checked the use of Effect !!!")
      return Totals.none
    }
    const { status, stdout } = effectTool([
      "diagnostics",
      "--project",
      "tsconfig.json",
      "--lspconfig",
      "{}",
      "--strict",
      "--severity",
      "error,warning"
    ])
    console.log(stdout.trim())
    return Totals.one(status === 0 && /^Checked [1-9]\d* files/m.test(stdout))
  }
}

/**
 * The search for exports, files and dependencies that nothing uses. The lock file cannot hold the tool, because packages of its
 * parser for some platforms are missing from registries, so `npm exec` fetches it. A tool that cannot be fetched is skipped.
 */
const unused: Step = {
  title: "unused exports and dependencies",
  run: () => {
    if (npmRun("unused", "--version") !== 0) {
      console.log("!!! SKIPPED: knip could not be fetched, so nothing searched for unused exports !!!")
      return Totals.none
    }
    return script("unused")
  }
}

/** Lazaret on a cluster of three nodes. Where there is no cluster to start, the command says so. */
const distributed: Step = {
  title: "a distributed database",
  run: () => Totals.one(npmRun("test:citus", "--short") === 0)
}

/** A fail-over of the database. Where there is no PostgreSQL to start, the command says so. */
const failOver: Step = {
  title: "a fail-over of the database",
  run: () => Totals.one(npmRun("failover", "--short") === 0)
}

/** The steps of `npm test`: what a contributor waits for. */
export const test: ReadonlyArray<Step> = [
  { title: "format", run: () => script("format:check") },
  // Before the linter, which reads what the types were built to.
  { title: "types", run: () => script("types") },
  { title: "lint", run: () => script("lint") },
  { title: "boundaries", run: () => script("boundaries") },
  { title: "examples", run: () => script("examples") },
  { title: "links", run: () => script("links") },
  { title: "words", run: () => script("words") },
  { title: "reference pages", run: () => script("reference:check") },
  { title: "tests", run: () => tests("vitest", "reports/junit.xml") }
]

/** The steps of `npm run check`: what is slow, and fails rarely. */
export const check: ReadonlyArray<Step> = [
  { title: "published packages", run: () => script("published") },
  { title: "packages as others use them", run: () => script("consumer") },
  effectAware,
  unused,
  distributed,
  failOver,
  { title: "long tests", run: () => tests("vitest:long", "reports/junit-long.xml") }
]

const effectPackages = ["@effect/tsgo@0.45.0", "typescript@7.0.2"].map((each) => `--package=${each}`)

const effectTool = (args: ReadonlyArray<string>) =>
  spawnSync("npm", ["exec", "--yes", "--fetch-retries=1", ...effectPackages, "--", "effect-tsgo", ...args], {
    cwd: Workspace.root,
    encoding: "utf8",
    timeout: 120_000
  })

/** Runs the tests of a script, and counts them in the report that it writes. */
const tests = (name: string, path: string): Totals.Totals => {
  const report = join(Workspace.root, path)
  rmSync(report, { force: true })
  const exitCode = npmRun(name)
  return Totals.ofTests(existsSync(report) ? readFileSync(report, "utf8") : null, exitCode)
}

const script = (name: string): Totals.Totals => Totals.one(npmRun(name) === 0)

const npmRun = (name: string, ...args: ReadonlyArray<string>): number | null =>
  spawnSync("npm", ["run", "--silent", name, "--", ...args], { cwd: Workspace.root, stdio: "inherit" }).status
