/** Tests that a run was expected to execute and did not: what a verdict on the run says about them. */
import * as TestSet from "../health/TestSet.ts"
import * as Text from "../text/Text.ts"
import * as LossRecord from "./LossRecord.ts"
import * as MissingFacts from "./MissingFacts.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"
import * as MissingRuns from "./MissingRuns.ts"

/** The tests of a job, or of its shards, that one run did not execute (`LossRecord`). */
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

/** Judges the runs that somebody asks about: asks for the names of the tests they lack, and of those that appeared. */
export const judge =
  (policy: MissingPolicy): MissingFacts.Judge<ReadonlyArray<MissingRuns.RunFinding>> =>
  (group) => {
    const value = MissingFacts.unitsOf(group)
      .flatMap((unit) => MissingRuns.ofOwn(unit, policy))
      .filter(({ isLoss }) => isLoss)
    const asked = value.flatMap(({ appeared, missing, run }) => [
      { tests: missing, runId: run.runId },
      { tests: appeared, runId: null }
    ])
    return { value, asked }
  }

/** The tests that runs did not execute, job by job, most tests first. */
export const of = (
  groups: ReadonlyArray<MissingFacts.Named<ReadonlyArray<MissingRuns.RunFinding>>>
): ReadonlyArray<MissedTests> =>
  groups
    .flatMap(({ found, value }) =>
      value.map((finding, index) => missedOf(finding, found.slice(2 * index, 2 * index + 2)))
    )
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

/** Whether tests are missing that did not run under other names. */
export const isLoss = (missed: ReadonlyArray<Pick<MissedTests, "kind">>): boolean =>
  missed.some(({ kind }) => kind === "tests")

/**
 * One sentence about all of them; null without any.
 *
 * @example
 * ```ts
 * import { MissedTests } from "@lazaret/domain"
 *
 * MissedTests.sentence([]) // => null
 * MissedTests.sentence([{ kind: "tests", jobNames: ["unit"], missing: 104, expected: 834, skipped: 0, renamed: 0 }]) // => "104 of 834 tests did not run in unit."
 * ```
 */
export const sentence = (
  missed: ReadonlyArray<Pick<MissedTests, "kind" | "jobNames" | "missing" | "expected" | "skipped" | "renamed">>
): string | null => {
  const lost = missed.filter(({ kind }) => kind === "tests")
  const shown = lost.length > 0 ? lost : missed
  const [first, ...others] = shown
  if (first === undefined) return null
  const sum = (field: "missing" | "expected" | "skipped" | "renamed") =>
    shown.reduce((total, each) => total + each[field], 0)
  const all = { expected: sum("expected"), missing: sum("missing"), skipped: sum("skipped"), renamed: sum("renamed") }
  const place = others.length === 0 && first.jobNames.length === 1 ? ` in ${first.jobNames[0]}` : ""
  return `${LossRecord.sentence({ kind: first.kind, ...all })}${place}.`
}
