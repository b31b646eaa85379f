/** A copy of the tree in which the sources of a subject hold their mutants, and the process that runs tests on it. */
import { type ChildProcess, fork } from "node:child_process"
import {
  closeSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
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
export const make = (subject: Subject): Tree => {
  const root = mkdtempSync(join(tmpdir(), "lazaret-mutants-"))
  cpSync(join(Workspace.root, "packages"), join(root, "packages"), { recursive: true, filter: isCopied })
  for (const file of globSync("*.json", { cwd: Workspace.root })) cpSync(join(Workspace.root, file), join(root, file))
  link(join(Workspace.root, "node_modules"), join(root, "node_modules"))
  for (const folder of globSync("packages/*/node_modules", { cwd: Workspace.root })) {
    symlinkSync(join(Workspace.root, folder), join(root, folder))
  }
  for (const [index, tests] of subject.tests.entries()) writeFileSync(join(root, configOf(index)), configText(tests))
  return { root, child: null }
}

/** Gives the sources of the copy a switch for each mutant, which must be all of them. */
export const install = ({ root }: Tree, mutants: ReadonlyArray<Switches.Numbered>): void => {
  for (const [path, own] of Map.groupBy(mutants, ({ mutant }) => mutant.path)) {
    const text = readFileSync(join(Workspace.root, path), "utf8")
    writeFileSync(join(root, path), Switches.prefix + Switches.install(text, own))
  }
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

/** A run: the files of a list of tests (null: all), the source whose tests run first, and the plan. */
export interface Run {
  readonly index: number
  readonly files: ReadonlyArray<string> | null
  readonly path: string
  readonly plan: Plan
  /** The longest time without an event where no mutant is tried, in milliseconds. */
  readonly limit: number
}

/** The observer of a run: it sees each event soon after it happened. */
export interface Observer {
  readonly isOver: () => boolean
  readonly learn: (event: Event) => void
}

/**
 * Runs tests by a plan, always with the same seed of the laws: the answer, null when they did not end, and the last event. A run
 * ends when nothing happens in it for the limit of the mutant that is tried, or for that of the run, or when it is over.
 */
export const run = (
  tree: Tree,
  { files, index, limit, path, plan }: Run,
  { isOver, learn }: Observer
): Promise<{ readonly answer: Answer | null; readonly last: Event | undefined }> => {
  const log = join(tree.root, "log.jsonl")
  writeFileSync(join(tree.root, "plan.json"), JSON.stringify(plan))
  writeFileSync(log, "")
  return new Promise((resolve) => {
    const child = (tree.child ??= start(tree.root))
    let seen = { bytes: 0, at: Date.now() }
    let last: Event | undefined
    const observe = () => {
      const { bytes, events } = eventsOf(log, seen.bytes)
      if (events.length > 0) seen = { bytes, at: Date.now() }
      for (const event of events) learn(event)
      last = events.at(-1) ?? last
    }
    const finish = (answer: Answer | null) => {
      clearInterval(timer)
      child.removeAllListeners("message")
      child.removeAllListeners("exit")
      if (answer === null) end(tree)
      observe()
      resolve({ answer, last })
    }
    const timer = setInterval(() => {
      observe()
      const allowed = last?.event === "start" ? last.limit : limit
      if (isOver() || Date.now() > seen.at + allowed) finish(null)
    }, 500)
    child.once("message", (answer: Answer) => finish(answer))
    child.once("exit", () => finish(null))
    child.send({ config: configOf(index), files, path } satisfies Request)
  })
}

/** The events whose lines are complete, from a place of the log, and the place behind them. */
const eventsOf = (log: string, from: number): { readonly bytes: number; readonly events: ReadonlyArray<Event> } => {
  const size = statSync(log).size - from
  const buffer = Buffer.alloc(Math.max(0, size))
  const file = openSync(log, "r")
  readSync(file, buffer, 0, buffer.length, from)
  closeSync(file)
  const length = buffer.lastIndexOf("\n") + 1
  const lines = buffer.toString("utf8", 0, length).split("\n").slice(0, -1)
  // The runner writes the lines.
  return { bytes: from + length, events: lines.map((line) => JSON.parse(line) as Event) }
}

const start = (cwd: string): ChildProcess =>
  fork(join(import.meta.dirname, "worker.ts"), {
    cwd,
    detached: true,
    env: { ...process.env, LAWS_SEED: "7", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })

/** Ends the process: the next run starts another one. */
export const end = (tree: Tree): void => {
  // The group of the process: its workers, too.
  if (tree.child?.pid !== undefined && tree.child.exitCode === null) process.kill(-tree.child.pid, "SIGKILL")
  tree.child = null
}

/** Ends the process, and removes the copy. */
export const remove = (tree: Tree): void => {
  end(tree)
  rmSync(tree.root, { recursive: true, force: true })
}
