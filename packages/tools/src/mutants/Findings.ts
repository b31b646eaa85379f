/**
 * Findings of earlier runs, in `.cache/mutants`: an interrupted run goes on where it stopped, and seeds share what they find.
 *
 * **Details**
 *
 * A finding says what tests made of mutants: noticed them, took too long, or passed. It counts while the source of the mutant and
 * the files of the tests have the same text. A change of another file does not end it: remove the folder after larger changes.
 */
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Workspace from "../Workspace.ts"
import type { Numbered } from "./Switches.ts"

/** The finding of tests on a mutant. */
export type Finding = "killed" | "timeout" | "passed" | "invalid"

/** The reach of a test: the mutants that it reaches whenever it runs, and those whose place runs once in a process. */
export interface Reach {
  readonly index: number
  readonly time: number
  readonly reached: ReadonlyArray<number>
  readonly once: ReadonlyArray<number>
}

/** The findings of a subject. Mutants are their numbers; `tests` is the title of a test, or a name of several. */
export interface Findings {
  /** The mutants that are decided, and by which tests. */
  readonly decided: ReadonlyMap<number, { readonly finding: Exclude<Finding, "passed">; readonly tests: string }>
  /** All names of tests that passed with mutants. */
  readonly tests: () => Iterable<string>
  /** The mutants that tests passed with. */
  readonly passed: (tests: string) => ReadonlySet<number>
  /** The reach of each test; it counts until the file of the test or any source of the subject changes. */
  readonly reach: ReadonlyMap<string, Reach>
  readonly keepReach: (test: string, glob: string, reach: Reach) => void
  /** Keeps a finding; `globs` are the files of the tests. */
  readonly keep: (tests: string, globs: ReadonlyArray<string>, finding: Finding, ids: ReadonlyArray<number>) => void
}

interface ReachLine extends Reach {
  readonly test: string
  readonly glob: string
  readonly sources: string
}

interface Line {
  readonly tests: string
  readonly globs: ReadonlyArray<string>
  readonly stamp: string
  readonly finding: Finding
  readonly mutants: ReadonlyArray<string>
}

/** The file that holds the findings of a subject. */
export const fileOf = (name: string): string => join(Workspace.root, ".cache/mutants", `${name}.jsonl`)

/** The findings in a file that still count. */
export const open = (file: string, mutants: ReadonlyArray<Numbered>): Findings => {
  mkdirSync(dirname(file), { recursive: true })
  const hashOf = remembered((path) => digest(readFileSync(join(Workspace.root, path), "utf8")))
  const stampOf = remembered((globs) =>
    digest(
      Workspace.files(globs.split(" "))
        .map(({ text }) => text)
        .join("\n")
    )
  )
  const keyOf = ({ from, path, replacement, to }: Numbered["mutant"]) =>
    digest(`${hashOf(path)} ${path} ${from} ${to} ${replacement}`)
  const keys = new Map(mutants.map(({ id, mutant }) => [id, keyOf(mutant)]))
  const ids = new Map([...keys].map(([id, key]) => [key, id]))

  const paths = [...new Set(mutants.map(({ mutant }) => mutant.path))]
  const sourcesOf = (glob: string) => digest([...paths.map(hashOf), stampOf(glob)].join(" "))
  const reach = new Map<string, Reach>()

  const decided = new Map<number, { finding: Exclude<Finding, "passed">; tests: string }>()
  const passed = new Map<string, Set<number>>()
  for (const line of linesOf(file)) {
    if ("glob" in line) {
      if (line.sources === sourcesOf(line.glob)) reach.set(line.test, line)
      continue
    }
    const { finding, globs, mutants: known, stamp, tests } = line
    if (stamp !== stampOf(globs.join(" "))) continue
    const found = known.flatMap((key) => ids.get(key) ?? [])
    if (finding !== "passed") for (const id of found) decided.set(id, { finding, tests })
    else passed.set(tests, new Set([...(passed.get(tests) ?? []), ...found]))
  }
  return {
    decided,
    tests: () => passed.keys(),
    passed: (tests) => passed.get(tests) ?? new Set(),
    reach,
    keepReach: (test, glob, known) => {
      const line: ReachLine = { test, glob, sources: sourcesOf(glob), ...known }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    },
    keep: (tests, globs, finding, found) => {
      if (finding === "passed") passed.set(tests, new Set([...(passed.get(tests) ?? []), ...found]))
      if (found.length === 0) return
      const line: Line = {
        tests,
        globs,
        stamp: stampOf(globs.join(" ")),
        finding,
        mutants: found.flatMap((id) => keys.get(id) ?? [])
      }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    }
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const remembered = (read: (key: string) => string): ((key: string) => string) => {
  const known = new Map<string, string>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}

const linesOf = (file: string): ReadonlyArray<Line | ReachLine> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        // The lines are those of this file's functions; one that was cut off has no end.
        .map((line) => JSON.parse(line) as Line | ReachLine)
    : []
