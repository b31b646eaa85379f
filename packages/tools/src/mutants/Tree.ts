/** A copy of the tree in which the sources of a subject hold their mutants, and the process that runs tests on it. */
import { type ChildProcess, fork } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import type { Event, Plan } from "./Runner.ts"
import type { Subject } from "./Subject.ts"
import * as Switches from "./Switches.ts"
import type { Answer, Request } from "./worker.ts"

/** A copy of the tree. */
export interface Tree {
  readonly root: string
  child: ChildProcess | null
}

/** Whether a path of the tree is neither installed nor built. */
const isCopied = (path: string): boolean =>
  !/\/(node_modules|dist|reports|\.cache)(\/|$)/.test(path.slice(Workspace.root.length))

/** Copies the packages; what they depend on is linked, and packages of the workspace are those of the copy. */
export const make = (subject: Subject, mutants: ReadonlyArray<Switches.Numbered>): Tree => {
  const root = mkdtempSync(join(tmpdir(), "lazaret-mutants-"))
  cpSync(join(Workspace.root, "packages"), join(root, "packages"), { recursive: true, filter: isCopied })
  for (const file of globSync("*.json", { cwd: Workspace.root })) cpSync(join(Workspace.root, file), join(root, file))
  link(join(Workspace.root, "node_modules"), join(root, "node_modules"))
  for (const folder of globSync("packages/*/node_modules", { cwd: Workspace.root })) {
    symlinkSync(join(Workspace.root, folder), join(root, folder))
  }
  for (const [path, own] of Map.groupBy(mutants, ({ mutant }) => mutant.path)) {
    writeFileSync(join(root, path), Switches.install(readFileSync(join(Workspace.root, path), "utf8"), own))
  }
  for (const [index, tests] of subject.tests.entries()) writeFileSync(join(root, configOf(index)), configText(tests))
  return { root, child: null }
}

const link = (from: string, to: string): void => {
  mkdirSync(to)
  for (const name of readdirSync(from)) if (name !== "@lazaret") symlinkSync(join(from, name), join(to, name))
  mkdirSync(join(to, "@lazaret"))
  for (const name of readdirSync(join(from, "@lazaret"))) {
    symlinkSync(join("../../packages", name), join(to, "@lazaret", name))
  }
}

const configOf = (index: number): string => `vitest.mutants.${index}.config.mjs`

/** The configuration of the workspace, for some tests alone. */
const configText = (tests: ReadonlyArray<string>): string => `
const conditions = ["@lazaret/source"]
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    isolate: false,
    maxWorkers: 1,
    testTimeout: 3600000,
    runner: ${JSON.stringify(join(import.meta.dirname, "Runner.ts"))},
    include: ${JSON.stringify(tests)}
  }
}
`

/** The result of a run of tests: its answer, null when it did not end, and its events. */
export interface Ran {
  readonly answer: Answer | null
  readonly events: ReadonlyArray<Event>
}

/**
 * Runs files of a list of tests by a plan, always with the same seed of the laws. A run ends when nothing happens in it for
 * the limit of the mutant that is tried, or for `limit` milliseconds where none is, or at the time `ends`.
 */
export const run = (
  tree: Tree,
  index: number,
  { files, path, plan }: { readonly files: ReadonlyArray<string> | null; readonly path: string; readonly plan: Plan },
  { ends, limit }: { readonly ends: number; readonly limit: number }
): Promise<Ran> => {
  const log = join(tree.root, "log.jsonl")
  writeFileSync(join(tree.root, "plan.json"), JSON.stringify(plan))
  rmSync(log, { force: true })
  return new Promise((resolve) => {
    const child = (tree.child ??= start(tree.root))
    const finish = (answer: Answer | null) => {
      clearInterval(timer)
      child.removeAllListeners("message")
      child.removeAllListeners("exit")
      if (answer === null) end(tree)
      resolve({ answer, events: eventsOf(log) })
    }
    let seen = { size: 0, at: Date.now() }
    const timer = setInterval(() => {
      const size = existsSync(log) ? statSync(log).size : 0
      if (size !== seen.size) seen = { size, at: Date.now() }
      const last = eventsOf(log).at(-1)
      const allowed = last?.event === "start" ? last.limit : limit
      if (Date.now() > Math.min(ends, seen.at + allowed)) finish(null)
    }, 500)
    child.once("message", (answer: Answer) => finish(answer))
    child.once("exit", () => finish(null))
    child.send({ config: configOf(index), files, path } satisfies Request)
  })
}

const eventsOf = (log: string): ReadonlyArray<Event> =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .slice(0, -1)
        // The runner writes the lines.
        .map((line) => JSON.parse(line) as Event)
    : []

const start = (cwd: string): ChildProcess =>
  fork(join(import.meta.dirname, "worker.ts"), {
    cwd,
    detached: true,
    env: { ...process.env, LAWS_SEED: "7", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })

const end = (tree: Tree): void => {
  // The group of the process: its workers, too.
  if (tree.child?.pid !== undefined && tree.child.exitCode === null) process.kill(-tree.child.pid, "SIGKILL")
  tree.child = null
}

/** Ends the process, and removes the copy. */
export const remove = (tree: Tree): void => {
  end(tree)
  rmSync(tree.root, { recursive: true, force: true })
}
