/** The pieces of evidence of a verdict: what speaks for a flake, what against, how much, and what each rests on. */
import * as Facts from "./FailureFacts.ts"
import * as Features from "./FailureFeatures.ts"
import type { EvidenceKind, FailurePolicy } from "./FailurePolicy.ts"
import * as Text from "../text/Text.ts"

/** A thing that a piece of evidence rests on; `id` is the id of an execution, the name of a job or branch, or a commit. */
export interface Reference {
  readonly kind: "execution" | "job" | "branch" | "commit"
  readonly id: string
}

/**
 * One piece of evidence.
 *
 * **Details**
 *
 * - `weight`: bits of log-odds, positive for a flake, never 0; the score is the sum of the weights and the prior.
 * - `sentence`: a clause without a full stop, that reads on after the name of the test.
 * - `restsOn`: in code-point order, each once; at most {@link maximumReferences}.
 */
export interface Evidence {
  readonly kind: EvidenceKind
  readonly weight: number
  readonly sentence: string
  readonly restsOn: ReadonlyArray<Reference>
}

/** How many references one piece of evidence names at most. */
export const maximumReferences = 20

/**
 * The evidence on a failure, the heaviest first, ties in the order of the kinds.
 *
 * **Details**
 *
 * A kind without weight is left out: what is shown is what decided, and nothing else.
 */
export const of = (facts: Facts.FailureFacts, policy: FailurePolicy): ReadonlyArray<Evidence> => {
  const measures = Features.measure(facts, policy)
  return Features.kinds
    .map((kind) => ({ kind, weight: policy.weights[kind] * measures[kind] }))
    .filter(({ weight }) => weight !== 0)
    .map(({ kind, weight }) => ({
      kind,
      weight,
      sentence: sentences[kind](facts, policy),
      restsOn: distinct(references[kind](facts, policy))
    }))
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
}

/** How long the test has been passing or failing on the base, null when it never ran there. */
export const baseSentence = (facts: Facts.FailureFacts): string | null => {
  const row = Facts.baseRow(facts)
  if (row === null) return null
  const verb = row.conclusion === "passed" ? "passed" : "failed"
  return row.length === 1
    ? `${verb} in the last run of ${row.branch}`
    : `${verb} in the last ${row.length} runs of ${row.branch}`
}

/** On how many commits the test was a flake: in the recent days, else ever. */
export const flakeSentence = (facts: Facts.FailureFacts, policy: Pick<FailurePolicy, "recentDays">): string => {
  const recent = commitsOf(Features.recentFlakes(facts, policy.recentDays))
  const ever = commitsOf(facts.test.flakes)
  return recent > 0
    ? `failed and passed on ${counted(recent, "commit")} in ${counted(policy.recentDays, "day")}`
    : `failed and passed on ${counted(ever, "commit")} before`
}

const commitsOf = (list: ReadonlyArray<{ readonly commit: string }>): number =>
  new Set(list.map(({ commit }) => commit)).size

/** A number and its noun: `1 commit`, `3 commits`. */
export const counted = (count: number, noun: string, plural = "s"): string =>
  `${count} ${noun}${count === 1 ? "" : plural}`

/** All of some things: `the job`, `both jobs`, `all 3 jobs`. */
const everyOf = (count: number, noun: string): string =>
  count === 1 ? `the ${noun}` : count === 2 ? `both ${noun}s` : `all ${count} ${noun}s`

type Write<A> = { readonly [Kind in EvidenceKind]: (facts: Facts.FailureFacts, policy: FailurePolicy) => A }

const sentences: Write<string> = {
  passed_on_rerun: (facts) => `passed on this commit in job ${facts.failure.jobName}`,
  attempts: (facts) => `failed in ${everyOf(Facts.failedAttempts(facts), "attempt")}`,
  base_passed: (facts) => baseSentence(facts) ?? "",
  base_failed: (facts) => `${Facts.baseRow(facts)?.branch ?? facts.failure.base} fails, too`,
  base_row: (facts) => baseSentence(facts) ?? "",
  flakes_before: (facts, policy) => flakeSentence(facts, policy),
  real_before: (facts, policy) =>
    `failed and never passed on ${counted(Features.recentReal(facts, policy.memoryDays).length, "commit")} before`,
  sibling_jobs: (facts) => jobsSentence(Features.siblingCounts(facts)),
  previous_run: (facts) => previousSentence(facts),
  job_failures: (facts) =>
    `${counted(facts.job.failed, "other test")} of job ${facts.failure.jobName} ${facts.job.failed === 1 ? "fails" : "fail"}`,
  pull_request: () => "runs on a change that is not merged",
  elsewhere: (facts, policy) =>
    `the same message is seen on ${counted(Features.branchesElsewhere(facts, policy).length, "unrelated branch", "es")}`
}

const references: Write<ReadonlyArray<Reference>> = {
  passed_on_rerun: (facts) => Facts.provingReruns(facts).map(({ id }) => ({ kind: "execution", id })),
  attempts: (facts) => [
    { kind: "execution", id: facts.failure.id },
    ...facts.reruns
      .filter(({ conclusion }) => conclusion === "failed")
      .map(({ id }): Reference => ({ kind: "execution", id }))
  ],
  base_passed: (facts) => ofBase(facts),
  base_failed: (facts) => ofBase(facts),
  base_row: (facts) => ofBase(facts),
  flakes_before: (facts, policy) =>
    Features.recentFlakes(facts, policy.memoryDays).map(({ commit }) => ({ kind: "commit", id: commit })),
  real_before: (facts, policy) =>
    Features.recentReal(facts, policy.memoryDays).map(({ commit }) => ({ kind: "commit", id: commit })),
  sibling_jobs: (facts) => facts.siblings.map(({ jobName }) => ({ kind: "job", id: jobName })),
  previous_run: (facts) => [{ kind: "branch", id: Facts.previousRun(facts)?.branch ?? facts.failure.base }],
  job_failures: (facts) => [{ kind: "job", id: facts.failure.jobName }],
  pull_request: (facts) => [{ kind: "branch", id: facts.failure.branch }],
  elsewhere: (facts, policy) => Features.branchesElsewhere(facts, policy).map((id) => ({ kind: "branch", id }))
}

/** In how many jobs of the run the test fails, its own included. */
export const jobsSentence = ({ failed, passed }: { readonly passed: number; readonly failed: number }): string => {
  const all = failed + passed + 1
  return passed === 0 ? `fails in ${everyOf(all, "job")}` : `fails in ${failed + 1} of ${all} jobs`
}

const previousSentence = (facts: Facts.FailureFacts): string => {
  const { branch, failed, passed } = Facts.previousRun(facts) ?? { branch: facts.failure.base, failed: 0, passed: 0 }
  return failed === 0
    ? `passed in ${everyOf(passed, "job")} of the run of ${branch} before`
    : `failed in ${failed} of ${counted(failed + passed, "job")} of the run of ${branch} before`
}

const ofBase = (facts: Facts.FailureFacts): ReadonlyArray<Reference> => {
  const row = Facts.baseRow(facts)
  if (row === null) return []
  return [
    { kind: "branch", id: row.branch },
    { kind: "commit", id: row.commit }
  ]
}

const distinct = (list: ReadonlyArray<Reference>): ReadonlyArray<Reference> =>
  [...new Map(list.map((one) => [`${one.kind}\0${one.id}`, one])).values()]
    .sort((a, b) => Text.compare(a.kind, b.kind) || Text.compare(a.id, b.id))
    .slice(0, maximumReferences)
