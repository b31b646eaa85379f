/** Tallies of one identity per commit, and the row of outcomes that they end with. */
import type { BranchRow, Rerun } from "./FailureFacts.ts"
import type { JobRun, TestResult } from "./JobRun.ts"
import type { Instant } from "../time/Instant.ts"

/** How many of its latest executions and signatures a tally keeps. */
const bounds = { attempts: 8, signatures: 4 }

/**
 * The executions of one identity on one commit.
 *
 * `hasFlaked` is whether one of them failed and passed inside its job; `attempts` are the latest, oldest
 * first, and at least one pass when there was one.
 */
export interface CommitTally {
  readonly commit: string
  readonly at: Instant
  readonly passed: number
  readonly failed: number
  readonly hasFlaked: boolean
  readonly attempts: ReadonlyArray<Rerun>
  readonly signatures: ReadonlyArray<string>
}

/**
 * The tallies of one identity on one branch, the commit that ran last at the end.
 *
 * `older` is the row at the end of the commits that are no longer kept.
 */
export interface Line {
  readonly older: { readonly conclusion: "passed" | "failed"; readonly length: number } | null
  readonly tallies: ReadonlyArray<CommitTally>
}

/** A line without commits. */
export const emptyLine: Line = { older: null, tallies: [] }

/** The tally of a commit, undefined when the line has none. */
export const find = (line: Line, commit: string): CommitTally | undefined =>
  line.tallies.find((tally) => tally.commit === commit)

/** A tally with one more result. */
export const added = (
  tally: CommitTally | undefined,
  { commit, result, run }: { readonly commit: string; readonly result: TestResult; readonly run: JobRun }
): CommitTally => {
  const isFailed = result.conclusion === "failed"
  const attempt: Rerun = { id: result.id, runId: run.runId, at: run.at, conclusion: result.conclusion }
  const signatures = tally?.signatures ?? []
  return {
    commit,
    at: Math.max(run.at, tally?.at ?? run.at),
    passed: (tally?.passed ?? 0) + (isFailed ? 0 : 1),
    failed: (tally?.failed ?? 0) + (isFailed ? 1 : 0),
    hasFlaked: (tally?.hasFlaked ?? false) || result.flaky,
    attempts: latest([...(tally?.attempts ?? []), attempt]),
    signatures:
      result.signature === null
        ? signatures
        : [...signatures.filter((one) => one !== result.signature), result.signature].slice(-bounds.signatures)
  }
}

/** The line with a tally as its last one; the oldest tallies above `kept` go into `older`. */
export const put = (line: Line, tally: CommitTally, kept: number): Line => {
  const tallies = [...line.tallies.filter(({ commit }) => commit !== tally.commit), tally]
  const dropped = tallies.slice(0, -kept)
  return dropped.length === 0
    ? { older: line.older, tallies }
    : { older: dropped.reduce(extend, line.older), tallies: tallies.slice(-kept) }
}

/**
 * What one more result changed in the counts: whether the commit is a flake now, and by how much the commits that failed
 * for good (at least twice, never passed) became more or fewer.
 */
export const changeBetween = (
  before: CommitTally | undefined,
  after: CommitTally
): { readonly flaky: boolean; readonly real: -1 | 0 | 1 } => {
  const real = Number(isReal(after)) - Number(before !== undefined && isReal(before))
  return { flaky: isFlake(after) && !(before !== undefined && isFlake(before)), real: real > 0 ? 1 : real < 0 ? -1 : 0 }
}

/** The row before a failure: on other commits than its own, and from what finished before it; empty without any. */
export const rowOf = (
  line: Line,
  failure: { readonly branch: string; readonly commit: string; readonly before: Instant }
): ReadonlyArray<BranchRow> => {
  const earlier = line.tallies.filter(({ at, commit }) => commit !== failure.commit && at < failure.before)
  const last = earlier.at(-1)
  const conclusion = last?.attempts.at(-1)?.conclusion
  if (last === undefined || conclusion === undefined) return []
  const row = earlier.reduce(extend, line.older)
  return [
    {
      branch: failure.branch,
      conclusion,
      length: row?.length ?? 0,
      commit: last.commit,
      at: last.at,
      signature: conclusion === "failed" ? (last.signatures.at(-1) ?? null) : null
    }
  ]
}

/** The latest attempts; the last pass stays in place of the oldest of them. */
const latest = (attempts: ReadonlyArray<Rerun>): ReadonlyArray<Rerun> => {
  const kept = attempts.slice(-bounds.attempts)
  const pass = attempts.findLast(({ conclusion }) => conclusion === "passed")
  return pass === undefined || kept.includes(pass) ? kept : [pass, ...kept.slice(1)]
}

const isFlake = (tally: CommitTally): boolean => tally.hasFlaked || (tally.passed > 0 && tally.failed > 0)

const isReal = (tally: CommitTally): boolean => tally.failed >= 2 && tally.passed === 0 && !tally.hasFlaked

/** The row after one more commit: longer when all of its executions ended like the row, else its own trailing part. */
const extend = (row: Line["older"], tally: CommitTally): Line["older"] => {
  const conclusion = tally.attempts.at(-1)?.conclusion
  if (conclusion === undefined) return row
  const same = conclusion === "passed" ? tally.passed : tally.failed
  const isWhole = same === tally.passed + tally.failed
  if (isWhole) return { conclusion, length: same + (row?.conclusion === conclusion ? row.length : 0) }
  const other = tally.attempts.findLastIndex((attempt) => attempt.conclusion !== conclusion)
  return { conclusion, length: tally.attempts.length - 1 - other }
}
