/** The record of a loss: tests or jobs that did not run although they were expected. */
import { Schema } from "effect"
import { v5 } from "uuid"
import * as TestSet from "../health/TestSet.ts"
import * as Rename from "../report/Rename.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import type { Named, NamesFound } from "./MissingFacts.ts"
import type { FoundLoss } from "./MissingRuns.ts"

/**
 * Schema of the kinds of losses.
 *
 * **Details**
 *
 * - `tests`: tests of a job that reported. `jobs`: whole jobs. `renamed`: the tests ran under other names, all but a few.
 */
export const Kind = Schema.Literals(["tests", "jobs", "renamed"])

/** A kind of losses. */
export type Kind = typeof Kind.Type

/** Schema of the states: still missing, ran again, or not expected any more. */
export const State = Schema.Literals(["open", "returned", "gone"])

/** The state of a loss. */
export type State = typeof State.Type

/** Schema of an old name and the name that came in its place. */
export const Renaming = Schema.Struct({ from: Schema.String, to: Schema.String })

/** Schema of a suite, file or class with the number of its missing tests. */
export const LostSuite = Schema.Struct({ name: Schema.String, tests: Schema.Int })

/**
 * Schema of the record of a loss.
 *
 * **Details**
 *
 * - `jobNames`: the job, all of its shards, or the jobs that did not report; the first {@link most.jobs}. `jobs`: how many there are.
 * - `runId`, `commit`, `at`: the first run of the loss. `runs`: how many runs lack the tests so far; `lastAt`: the last of them.
 * - `expected`, `missing`: tests, or jobs. `skipped`: those of the missing tests that the run skipped. `renamed`: those that ran under other
 *   names; `renames`: the first {@link most.renames} of these.
 * - `names`: the first {@link most.names} of the missing tests in code-point order, without renamed ones, each cut to {@link most.name}
 *   characters. `suites`: those that lack most tests.
 * - `isSmall`: a few tests that were found when they were gone; nobody is notified.
 */
export const LossRecord = Schema.Struct({
  lossId: Schema.String,
  kind: Kind,
  state: State,
  pipelineName: Schema.String,
  jobNames: Schema.Array(Schema.String),
  jobs: Schema.Int,
  runId: Schema.String,
  commit: Schema.String,
  at: Schema.Int,
  lastAt: Schema.Int,
  runs: Schema.Int,
  expected: Schema.Int,
  missing: Schema.Int,
  skipped: Schema.Int,
  renamed: Schema.Int,
  names: Schema.Array(Schema.String),
  suites: Schema.Array(LostSuite),
  renames: Schema.Array(Renaming),
  isSmall: Schema.Boolean
})

/** The record of a loss. */
export type LossRecord = typeof LossRecord.Type

/** How much of a loss is kept; `losses` of a repository, the latest ones, for at most `days`. */
export const most = { names: 50, name: 300, suites: 10, renames: 50, jobs: 20, losses: 500, days: 90 } as const

/** With at most this share of the expected tests besides renamed ones, names are missing, and tests are not. */
const leftShare = 0.05

/** The facts that the names of a loss show: the tests that are missing, and the renames among them. */
export interface LostNames extends Pick<LossRecord, "names" | "suites" | "renames" | "renamed" | "skipped"> {
  readonly isRenamed: boolean
}

/** The facts that the names of missing tests, and of those that appeared with them, show. */
export const namesOf = (
  { expected, missing }: Pick<LossRecord, "expected" | "missing">,
  gone: NamesFound = none,
  come: NamesFound = none
): LostNames => {
  const renames = Rename.between(gone.names.filter(isShort), come.names.filter(isShort))
  const old = new Set(renames.map(([from]) => from))
  const left = gone.names.filter((name) => !old.has(name))
  return {
    names: left.slice(0, most.names).map(cut),
    suites: suitesOf(left),
    renames: renames.slice(0, most.renames).map(([from, to]) => ({ from, to })),
    renamed: renames.length,
    skipped: gone.skipped,
    isRenamed: 2 * renames.length >= missing && missing - renames.length <= leftShare * expected
  }
}

/** The record of a loss of tests, with the names that were asked for: the missing tests, and those that appeared. */
export const ofTests = ({ found: [gone, come], value: loss }: Named<FoundLoss>): LossRecord => {
  const missing = TestSet.size(loss.missing)
  const { isRenamed, ...names } = namesOf({ expected: loss.expected, missing }, gone, come)
  const kind = isRenamed ? "renamed" : "tests"
  return { ...partsOf(loss), kind, jobNames: loss.jobNames.slice(0, most.jobs).map(cut), missing, ...names }
}

/** The record of a loss of jobs. */
export const ofJobs = (loss: FoundLoss): LossRecord => {
  const names = TestSet.numbers(loss.missing).flatMap((number) => loss.jobNames[number] ?? [])
  return {
    ...partsOf(loss),
    kind: "jobs",
    jobNames: names.slice(0, most.jobs).map(cut),
    jobs: names.length,
    missing: names.length,
    skipped: 0,
    renamed: 0,
    names: [],
    suites: [],
    renames: []
  }
}

/** Whether people are notified: not of renames, and not of a few tests that are gone. */
export const isNews = ({ isSmall, kind }: LossRecord): boolean => kind !== "renamed" && !isSmall

/**
 * One sentence about a loss.
 *
 * @example
 * ```ts
 * import { LossRecord } from "@lazaret/domain"
 *
 * LossRecord.sentence({ kind: "tests", missing: 104, expected: 834, skipped: 4, renamed: 0 }) // => "104 of 834 tests did not run, 4 of them skipped"
 * LossRecord.sentence({ kind: "jobs", missing: 1, expected: 12, skipped: 0, renamed: 0 }) // => "1 of 12 jobs did not report"
 * ```
 */
export const sentence = ({
  expected,
  kind,
  missing,
  renamed,
  skipped
}: Pick<LossRecord, "kind" | "missing" | "expected" | "skipped" | "renamed">): string => {
  if (kind === "jobs") return `${missing} of ${counted(expected, "job")} did not report`
  if (kind === "renamed") return `${renamed} of ${counted(expected, "test")} ${seems(renamed)} to be renamed`
  const parts = [
    ...(skipped > 0 ? [`${skipped} of them skipped`] : []),
    ...(renamed > 0 ? [`${renamed} of them ${seems(renamed)} to be renamed`] : [])
  ]
  return [`${missing} of ${counted(expected, "test")} did not run`, ...parts].join(", ")
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const seems = (count: number): string => (count === 1 ? "seems" : "seem")

const none: NamesFound = { names: [], skipped: 0 }

const partsOf = (loss: FoundLoss) => {
  const { expected, isSmall, jobNames, lastAt, pipelineName, run, runs, state } = loss
  const { at, commit, runId } = run
  const key = [loss.kind, pipelineName, ...jobNames, runId, isSmall ? "small" : ""].join("\0")
  return {
    lossId: v5(key, namespace),
    state,
    pipelineName,
    jobs: jobNames.length,
    runId,
    commit,
    at,
    lastAt,
    runs,
    expected,
    isSmall
  }
}

/** The namespace of the ids of losses. */
const namespace = "6e3b0b52-5a0c-5d43-9b5e-9a4f6d0c7c20"

const isShort = (name: string): boolean => name.length <= longestRenamed

/** Longer names are not compared. */
const longestRenamed = 2000

/** A name of which only the first characters are kept. */
export const cut = (name: string): string =>
  name.length <= most.name ? name : `${Array.from(name).slice(0, most.name).join("")}…`

const suitesOf = (names: ReadonlyArray<string>): LossRecord["suites"] => {
  const counts = new Map<string, number>()
  for (const name of names) {
    const suite = cut(Rename.suiteOf(name))
    if (suite !== "") counts.set(suite, (counts.get(suite) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, tests]) => ({ name, tests }))
    .sort((a, b) => b.tests - a.tests || Text.compare(a.name, b.name))
    .slice(0, most.suites)
}

/** The records to keep: those that were found, and older ones; the latest first. */
export const renewed = (
  before: ReadonlyArray<LossRecord>,
  found: ReadonlyArray<LossRecord>,
  { isRead, now }: { readonly isRead: (record: LossRecord) => boolean; readonly now: Instant.Instant }
): ReadonlyArray<LossRecord> => {
  const isKept = (record: LossRecord) => !isRead(record) && record.at > now - most.days * Instant.day
  const all = new Map([...before.filter(isKept), ...found].map((record) => [record.lossId, record]))
  return [...all.values()].sort((a, b) => b.at - a.at || Text.compare(a.lossId, b.lossId)).slice(0, most.losses)
}
