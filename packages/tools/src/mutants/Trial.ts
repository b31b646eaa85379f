/** Trials of mutants: the tests of a subject on a copy of the tree in which one place is changed. */
import { type ChildProcess, fork } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Mutant from "./Mutant.ts"
import type { Answer, Request } from "./worker.ts"
import type { Subject } from "./Subject.ts"

/** A copy of the tree, with the process that runs tests on it. */
export interface Trial {
  readonly root: string
  readonly subject: Subject
  child: ChildProcess | null
  /** The time that each list of tests may take, in milliseconds. */
  readonly limits: Array<number>
}

/** The fate of a mutant, and the time that its tests took, in milliseconds. */
export interface Outcome {
  readonly mutant: Mutant.Mutant
  readonly fate: "killed" | "timeout" | "survived"
  readonly time: number
}

/** Whether a path of the tree is neither installed nor built. */
const isCopied = (path: string): boolean =>
  !/\/(node_modules|dist|reports|\.cache)(\/|$)/.test(path.slice(Workspace.root.length))

/** Copies the packages; what they depend on is linked, and packages of the workspace are those of the copy. */
export const make = async (subject: Subject): Promise<Trial> => {
  const root = mkdtempSync(join(tmpdir(), "lazaret-mutants-"))
  cpSync(join(Workspace.root, "packages"), join(root, "packages"), { recursive: true, filter: isCopied })
  for (const file of globSync("*.json", { cwd: Workspace.root })) cpSync(join(Workspace.root, file), join(root, file))
  link(join(Workspace.root, "node_modules"), join(root, "node_modules"))
  for (const folder of globSync("packages/*/node_modules", { cwd: Workspace.root })) {
    symlinkSync(join(Workspace.root, folder), join(root, folder))
  }
  for (const [index, tests] of subject.tests.entries()) writeFileSync(join(root, configOf(index)), configText(tests))
  return { root, subject, child: null, limits: [] }
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
  test: { isolate: false, maxWorkers: 1, testTimeout: 60000, include: ${JSON.stringify(tests)} }
}
`

/** The tests that fail without any mutant; null: none does. Measures the time of each list. */
export const check = async (trials: ReadonlyArray<Trial>): Promise<string | null> => {
  for (const trial of trials) {
    for (const index of trial.subject.tests.keys()) {
      const began = Date.now()
      const { failed, isPassed } = await test(trial, index, "", longest)
      if (!isPassed) return failed.join("\n")
      trial.limits[index] = 30_000 + 5 * (Date.now() - began)
    }
  }
  return null
}

/** The time that a list may take without a mutant, in milliseconds. */
const longest = 600_000

/** Tries a mutant, and restores the text of its source. */
export const run = async (trial: Trial, mutant: Mutant.Mutant, original: string): Promise<Outcome> => {
  const file = join(trial.root, mutant.path)
  const began = Date.now()
  writeFileSync(file, Mutant.apply(mutant, original))
  try {
    for (const index of trial.subject.tests.keys()) {
      const { isEnded, isPassed } = await test(trial, index, mutant.path, trial.limits[index] ?? longest)
      if (!isPassed) return { mutant, fate: isEnded ? "killed" : "timeout", time: Date.now() - began }
    }
    return { mutant, fate: "survived", time: Date.now() - began }
  } finally {
    writeFileSync(file, original)
    if (trial.child === null) await expectGreen(trial)
  }
}

/** Fails when the fast tests do not pass without a mutant: what was killed before proves nothing then. */
export const expectGreen = async (trial: Trial): Promise<void> => {
  const { failed, isPassed } = await test(trial, 0, "", longest)
  if (!isPassed) throw new Error(`the tests fail without any mutant: ${failed.join(", ")}`)
}

/** Ends the process, and removes the copy. */
export const remove = (trial: Trial): void => {
  end(trial)
  rmSync(trial.root, { recursive: true, force: true })
}

const end = (trial: Trial): void => {
  // The group of the process: its workers, too.
  if (trial.child?.pid !== undefined && trial.child.exitCode === null) process.kill(-trial.child.pid, "SIGKILL")
  trial.child = null
}

interface Tested extends Answer {
  readonly isEnded: boolean
}

/** Runs a list of tests, always with the same seed of the laws; what is left after the limit is ended. */
const test = (trial: Trial, index: number, path: string, limit: number): Promise<Tested> =>
  new Promise((resolve) => {
    const child = (trial.child ??= start(trial.root))
    const finish = (tested: Tested) => {
      clearTimeout(timer)
      child.removeAllListeners("message")
      child.removeAllListeners("exit")
      resolve(tested)
    }
    const kill = () => {
      finish({ isPassed: false, isEnded: false, failed: [] })
      end(trial)
    }
    const timer = setTimeout(kill, limit)
    child.once("message", (answer: Answer) => finish({ ...answer, isEnded: true }))
    child.once("exit", () => {
      trial.child = null
      finish({ isPassed: false, isEnded: true, failed: ["the process of the tests ended"] })
    })
    child.send({ config: configOf(index), path } satisfies Request)
  })

const start = (cwd: string): ChildProcess =>
  fork(join(import.meta.dirname, "worker.ts"), {
    cwd,
    detached: true,
    env: { ...process.env, LAWS_SEED: "7", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
