/** Real sets of failing job runs, from which causes are grouped. */
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { AverageLinkage, type CauseFacts, Failure } from "@lazaret/domain"
import { Schema } from "effect"
import * as History from "../failures/History.ts"

/** A set of job runs in order of time, and the tests that failed in them. */
export interface ClusterSet {
  readonly name: string
  readonly runs: ReadonlyArray<CauseFacts.FailedRun>
}

/** The job runs of a history, each with its place among those of its job. */
export const ofHistory = (name: string, runs: ReadonlyArray<History.HistoryRun>): ClusterSet => ({
  name,
  runs: runs.flatMap(({ at, commit, jobs }, index) =>
    Object.entries(jobs).flatMap(([job, results]): ReadonlyArray<CauseFacts.FailedRun> => {
      const failed = results.flatMap(([test, outcome, message]) => (outcome === "f" ? [failedTest(test, message)] : []))
      return failed.length === 0
        ? []
        : [runOf({ key: `${index} ${job}`, at: Date.parse(at), job, commit, ordinal: index, failed })]
    })
  )
})

/** The failing job runs of a file with one line each; those of a line without time follow each other by a minute. */
export const ofFile = (name: string, path: string): ClusterSet | null => {
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  const lines = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n")
  return {
    name,
    runs: lines.flatMap((line, index): ReadonlyArray<CauseFacts.FailedRun> => {
      if (line.trim() === "") return []
      const { at, failed, job } = decode(JSON.parse(line))
      return [
        runOf({
          key: String(index),
          at: at === null ? index * 60_000 : Date.parse(at),
          job,
          commit: String(index),
          ordinal: 2 * index,
          failed: failed.flatMap(([test, message]) =>
            typeof test === "string" ? [failedTest(test, typeof message === "string" ? message : null)] : []
          )
        })
      ]
    })
  }
}

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    at: Schema.NullOr(Schema.String),
    job: Schema.String,
    failed: Schema.Array(Schema.Array(Schema.Unknown))
  })
)

interface ParsedRun extends Pick<CauseFacts.FailedRun, "key" | "at" | "commit" | "ordinal" | "failed"> {
  readonly job: string
}

const runOf = ({ job, ...run }: ParsedRun): CauseFacts.FailedRun => ({
  ...run,
  pipelineName: "ci",
  jobName: job,
  branch: "main",
  isOnDefault: true,
  isExcused: false
})

const failedTest = (testName: string, message: string | null): CauseFacts.FailedTest => ({
  testName,
  signature: Failure.signatureOf({ type: null, message, stacktrace: null }),
  frame: null
})

/**
 * The group of each test by an offline method that sees all job runs: average linkage on the Jaccard similarity of the failing job
 * runs, cut at one half. Tests with fewer than three failing job runs are left out. It is a reference, not truth.
 */
export const referenceOf = ({ runs }: ClusterSet): ReadonlyMap<string, string> => {
  const failing = new Map<string, Set<number>>()
  for (const [index, { failed }] of runs.entries()) {
    for (const { testName } of failed) failing.set(testName, (failing.get(testName) ?? new Set()).add(index))
  }
  const tests = [...failing].filter(([, where]) => where.size >= 3).sort(([a], [b]) => (a < b ? -1 : 1))
  const values = new Float64Array((tests.length * (tests.length - 1)) / 2)
  for (const [a, [, one]] of tests.entries()) {
    for (const [b, [, other]] of tests.slice(0, a).entries()) {
      const both = [...one].filter((index) => other.has(index)).length
      values[AverageLinkage.placeOf(a, b)] = both / (one.size + other.size - both)
    }
  }
  const groups = AverageLinkage.groups({ size: tests.length, values, weights: tests.map(() => 1) }, 0.5)
  return new Map(tests.map(([test], index) => [test, String(groups[index])]))
}
