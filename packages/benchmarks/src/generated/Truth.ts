/** The truth about a generated failure: which row of the table it belongs to, and which verdicts are right. */
import type { FailureVerdict } from "@lazaret/domain"
import type { Failing } from "./Execute.ts"
import type { Run } from "./Generate.ts"

/**
 * The causes of failures, as rows of the table.
 *
 * **Details**
 *
 * - `change`: a pull request broke the test; `changeNew`: and the test has not run on main in that job, be it new, renamed,
 *   or the file that does not load.
 * - `flake`, `mainFlake`: the test flaked on a pull request, on main.
 * - `main`: the first run of main with a break. `base`: a later run of main or a pull request, after main had shown it.
 * - `early`: a pull request or a run of main with a break of main that main has not shown yet. The facts cannot say this.
 * - `victim`: an outage, on the first commit that it hit; `outage`: on a later one.
 * - `dependency`: a release of a library.
 * - `passed`, `persistent`: in a real history, the identity passed on the commit as well, or ran there at least twice and
 *   never passed. Its cause is not known.
 */
export const rows = [
  "change",
  "changeNew",
  "flake",
  "mainFlake",
  "main",
  "base",
  "early",
  "victim",
  "outage",
  "dependency",
  "passed",
  "persistent"
] as const

/** A cause of failures. */
export type Row = (typeof rows)[number]

/** A cause of generated failures. */
export type Cause = Exclude<Row, "passed" | "persistent">

/** The knowledge about a failure when it is judged. */
export interface Known {
  readonly run: Run
  readonly failing: Failing
  /** When the first job of the run finished. */
  readonly asOf: number
  /** Whether the identity had run on main before. */
  readonly isOnMain: boolean
  /** The first commit that each outage hit. */
  readonly firstHit: ReadonlyMap<object, string>
}

/** The row of a failure. */
export const rowOf = ({ asOf, failing: { cause }, firstHit, isOnMain, run }: Known): Cause => {
  switch (cause.kind) {
    case "flake":
      return run.base === null ? "mainFlake" : "flake"
    case "outage":
      return firstHit.get(cause) === run.commit ? "victim" : "outage"
    case "dependency":
      return "dependency"
    case "break":
      if (run.own.includes(cause)) return run.base === null ? "main" : isOnMain ? "change" : "changeNew"
      return cause.seenAt < asOf ? "base" : "early"
  }
}

const rights: { readonly [R in Row]: ReadonlyArray<FailureVerdict.Verdict> } = {
  change: ["new_failure"],
  changeNew: ["new_failure", "new_test"],
  flake: ["flaky"],
  mainFlake: ["flaky"],
  main: ["new_failure"],
  base: ["broken_on_base"],
  early: ["broken_on_base"],
  victim: ["outage"],
  outage: ["outage"],
  dependency: ["outage", "broken_on_base"],
  passed: ["flaky", "outage"],
  persistent: ["new_failure", "broken_on_base", "new_test"]
}

/** Whether a verdict is right; a test that has not run on main may be called new as well. */
export const isRight = (row: Row, verdict: FailureVerdict.Verdict, isOnMain: boolean): boolean =>
  rights[row].includes(verdict) || (!isOnMain && verdict === "new_test" && (row === "flake" || row === "main"))

/** Whether a verdict excuses a failure. */
export const isExcuse = (row: Row, verdict: FailureVerdict.Verdict): boolean =>
  verdict === "flaky" || verdict === "outage" || (verdict === "broken_on_base" && row !== "persistent")
