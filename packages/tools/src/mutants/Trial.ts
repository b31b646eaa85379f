/** Trials of mutants: the tests of a subject on a copy of the tree in which one place is changed. */
import { spawn } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Mutant from "./Mutant.ts"
import type { Subject } from "./Subject.ts"

/** A copy of the tree. */
export interface Trial {
  readonly root: string
  readonly subject: Subject
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
  return { root, subject }
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

/** The configuration of the workspace, for some tests alone: nothing is reported, and the first failure ends them. */
const configText = (tests: ReadonlyArray<string>): string => `
const conditions = ["@lazaret/source"]
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: { isolate: false, maxWorkers: 1, bail: 1, testTimeout: 60000, include: ${JSON.stringify(tests)} }
}
`

/** The output of tests that fail without any mutant; null: none does. */
export const check = async ([trial]: ReadonlyArray<Trial>): Promise<string | null> => {
  if (trial === undefined) return "there is no copy of the tree"
  for (const index of trial.subject.tests.keys()) {
    const { isPassed, output } = await test(trial, index)
    if (!isPassed) return output
  }
  return null
}

/** Tries a mutant, and restores the text of its source. */
export const run = async (trial: Trial, mutant: Mutant.Mutant, original: string): Promise<Outcome> => {
  const file = join(trial.root, mutant.path)
  const began = Date.now()
  writeFileSync(file, Mutant.apply(mutant, original))
  try {
    for (const index of trial.subject.tests.keys()) {
      const { isEnded, isPassed } = await test(trial, index)
      if (!isPassed) return { mutant, fate: isEnded ? "killed" : "timeout", time: Date.now() - began }
    }
    return { mutant, fate: "survived", time: Date.now() - began }
  } finally {
    writeFileSync(file, original)
  }
}

/** Removes the copy. */
export const remove = ({ root }: Trial): void => rmSync(root, { recursive: true, force: true })

interface Tested {
  readonly isPassed: boolean
  readonly isEnded: boolean
  readonly output: string
}

/** Runs a list of tests, always with the same seed of the laws; all that is left after the limit is killed. */
const test = ({ root, subject }: Trial, index: number): Promise<Tested> =>
  new Promise((resolve) => {
    const vitest = join(Workspace.root, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", "--root", root, "--config", join(root, configOf(index))], {
      cwd: root,
      detached: true,
      env: { ...process.env, LAWS_SEED: "7", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000)
    }
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    let isEnded = true
    const kill = () => {
      isEnded = false
      // The group of the child: its workers, too.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }
    const timer = setTimeout(kill, subject.limit * 1000)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ isPassed: code === 0 && isEnded, isEnded, output })
    })
  })
