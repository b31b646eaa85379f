/** Tests that a run was expected to execute and did not, and its jobs that did not report: what a verdict on the run says. */
import type { FailureGate } from "../failure/FailureGate.ts"
import * as TestSet from "../health/TestSet.ts"
import * as Text from "../text/Text.ts"
import * as LossRecord from "./LossRecord.ts"
import * as MissingFacts from "./MissingFacts.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"
import * as MissingRuns from "./MissingRuns.ts"

/**
 * The tests of a job, or of its shards, that one run did not execute (`LossRecord`).
 *
 * **Details**
 *
 * Of the kind `jobs`: the shards, or jobs of a matrix, that did not report while others of their group did; `jobNames` names them.
 */
export type MissedTests = Pick<
  LossRecord.LossRecord,
  | "kind"
  | "pipelineName"
  | "jobNames"
  | "runId"
  | "expected"
  | "missing"
  | "skipped"
  | "renamed"
  | "names"
  | "suites"
  | "renames"
>

/** The losses in the runs of a group of jobs: of tests, and of whole jobs. */
export interface JudgedRuns {
  readonly tests: ReadonlyArray<MissingRuns.RunFinding>
  readonly jobs: ReadonlyArray<MissingRuns.RunFinding>
}

/** Judges the runs that somebody asks about: asks for the names of the tests they lack, and of those that appeared. */
export const judge = (policy: MissingPolicy): MissingFacts.Judge<JudgedRuns> =>
  function* (group) {
    const tests: Array<MissingRuns.RunFinding> = []
    for (const unit of MissingFacts.unitsOf(group)) {
      yield
      tests.push(...(yield* MissingRuns.ownSteps(unit, policy)).filter(({ isLoss }) => isLoss))
    }
    const jobs = group.length < 2 ? [] : MissingRuns.jobsOfOwn(group, policy).filter(({ isLoss }) => isLoss)
    const asked = tests.flatMap(({ appeared, missing, run }) => [
      { tests: missing, runId: run.runId },
      { tests: appeared, runId: null }
    ])
    return { value: { tests, jobs }, asked }
  }

/** The tests that runs did not execute, job by job, and the jobs that did not report; most first. */
export const of = (groups: ReadonlyArray<MissingFacts.Named<JudgedRuns>>): ReadonlyArray<MissedTests> =>
  groups
    .flatMap(({ found, value: { jobs, tests } }) => [
      ...tests.map((finding, index) => missedOf(finding, found.slice(2 * index, 2 * index + 2))),
      ...jobs.map(absentOf)
    ])
    .sort(
      (a, b) =>
        b.missing - a.missing ||
        Text.compare(a.pipelineName, b.pipelineName) ||
        Text.compare(a.jobNames[0] ?? "", b.jobNames[0] ?? "") ||
        Text.compare(a.runId, b.runId)
    )

const missedOf = (
  { expected, jobNames, missing, pipelineName, run }: MissingRuns.RunFinding,
  [gone, come]: ReadonlyArray<MissingFacts.NamesFound>
): MissedTests => {
  const size = TestSet.size(missing)
  const { isRenamed, ...names } = LossRecord.namesOf({ expected: expected ?? 0, missing: size }, gone, come)
  return {
    kind: isRenamed ? "renamed" : "tests",
    pipelineName,
    jobNames: jobNames.slice(0, LossRecord.most.jobs).map(LossRecord.cut),
    runId: run.runId,
    expected: expected ?? 0,
    missing: size,
    ...names
  }
}

const absentOf = ({ expected, jobNames, missing, pipelineName, run }: MissingRuns.RunFinding): MissedTests => ({
  kind: "jobs",
  pipelineName,
  jobNames: TestSet.numbers(missing)
    .flatMap((number) => jobNames[number] ?? [])
    .slice(0, LossRecord.most.jobs)
    .map(LossRecord.cut),
  runId: run.runId,
  expected: expected ?? 0,
  missing: TestSet.size(missing),
  skipped: 0,
  renamed: 0,
  names: [],
  suites: [],
  renames: []
})

/** Whether jobs are missing, or tests that did not run under other names. */
export const isLoss = (missed: ReadonlyArray<Pick<MissedTests, "kind">>): boolean =>
  missed.some(({ kind }) => kind !== "renamed")

/** Whether a gate stops for them. */
export const isBlocking = (
  missed: ReadonlyArray<Pick<MissedTests, "kind">>,
  { missing }: Pick<FailureGate, "missing">
): boolean => missing === "block" && isLoss(missed)

type Counted = Pick<MissedTests, "kind" | "jobNames" | "missing" | "expected" | "skipped" | "renamed">

/**
 * The sentences about all of them, in one line: of tests, then of jobs; null without any.
 *
 * @example
 * ```ts
 * import { MissedTests } from "@lazaret/domain"
 *
 * MissedTests.sentence([]) // => null
 * MissedTests.sentence([{ kind: "tests", jobNames: ["unit"], missing: 104, expected: 834, skipped: 0, renamed: 0 }]) // => "104 of 834 tests did not run in unit."
 * ```
 */
export const sentence = (missed: ReadonlyArray<Counted>): string | null => {
  const lost = missed.filter(({ kind }) => kind === "tests")
  const jobs = missed.filter(({ kind }) => kind === "jobs")
  const shown = lost.length > 0 || jobs.length > 0 ? lost : missed
  const sentences = [...(shown.length > 0 ? [ofTests(shown)] : []), ...(jobs.length > 0 ? [ofJobs(jobs)] : [])]
  return sentences.length === 0 ? null : sentences.join(" ")
}

const ofTests = (shown: ReadonlyArray<Counted>): string => {
  const sum = (field: "missing" | "expected" | "skipped" | "renamed") =>
    shown.reduce((total, each) => total + each[field], 0)
  const all = { expected: sum("expected"), missing: sum("missing"), skipped: sum("skipped"), renamed: sum("renamed") }
  const jobs = shown.flatMap(({ jobNames }) => jobNames)
  const place = jobs.length === 1 ? ` in ${jobs[0]}` : ""
  return `${LossRecord.sentence({ kind: shown[0]?.kind ?? "tests", ...all })}${place}.`
}

const ofJobs = (absent: ReadonlyArray<Counted>): string => {
  const names = absent.flatMap(({ jobNames }) => jobNames)
  const count = absent.reduce((sum, { missing }) => sum + missing, 0)
  const more = count > namedJobs ? ` and ${count - namedJobs} more` : ""
  return count === 1
    ? `The job ${names[0]} did not report while its siblings did.`
    : `The jobs ${names.slice(0, namedJobs).join(", ")}${more} did not report while their siblings did.`
}

const namedJobs = 5
