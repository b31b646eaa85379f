/** The pieces of evidence of a verdict: what speaks for each cause, how much, and what each rests on. */
import type { Piece } from "./CauseLikelihoods.ts"
import type { Explanation } from "./CauseModel.ts"
import * as Facts from "./FailureFacts.ts"
import * as Message from "./FailureMessage.ts"
import type { Cause, EvidenceKind, FailurePolicy, PerCause } from "./FailurePolicy.ts"
import * as Instant from "../time/Instant.ts"
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
 * - `causes`: bits for each cause; up to a constant, their sums over all pieces are the logarithms of the probabilities.
 * - `weight`: bits for the best other cause against the change: positive is "not you", negative "for you".
 * - `sentence`: a clause without a full stop, that reads on after the name of the test.
 * - `restsOn`: in code-point order, each once; at most {@link maximumReferences}.
 */
export interface Evidence {
  readonly kind: EvidenceKind
  readonly weight: number
  readonly causes: PerCause
  readonly sentence: string
  readonly restsOn: ReadonlyArray<Reference>
}

/** How many references one piece of evidence names at most. */
export const maximumReferences = 20

/** The facts from which sentences are written. */
export interface Explained {
  readonly facts: Facts.FailureFacts
  readonly explanation: Explanation
  readonly policy: FailurePolicy
  readonly run: {
    readonly sameMessage: number
    readonly failures: number
  }
}

/** The evidence, the heaviest for or against the change first; `rival` is the most probable cause other than the change. */
export const of = (explained: Explained, rival: Cause): ReadonlyArray<Evidence> =>
  explained.explanation.pieces
    .map((piece) => {
      const weight = piece.bits[rival] - piece.bits.change
      const sentence = sentences[piece.kind](explained, piece)
      return {
        kind: piece.kind,
        weight,
        causes: piece.bits,
        sentence: piece.kind === "run" ? sentence + fitOf(explained, rival, weight) : sentence,
        restsOn: distinct(references[piece.kind](explained))
      }
    })
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))

/** How long the test has been passing or failing on the base, null when it never ran there. */
export const baseSentence = (facts: Facts.FailureFacts): string | null => {
  const row = Facts.baseRow(facts)
  if (row === null) return null
  const verb = row.conclusion === "passed" ? "passed" : "failed"
  return row.length === 1
    ? `${verb} in the last run of ${row.branch}`
    : `${verb} in the last ${row.length} runs of ${row.branch}`
}

/** How often the test failed on the default branch and elsewhere by itself. */
export const historySentence = ({ explanation, facts, policy }: Explained): string => {
  const row = Facts.baseRow(facts)
  const { defaultBranch, totals } = facts
  const runs = Facts.executionsOnBase(facts) ?? 0
  const failed = totals?.failed ?? 0
  const recent = commitsOf(recentFlakes(facts, 14))
  const ever = commitsOf(recentFlakes(facts, policy.memoryDays))
  if (recent > 0) return `failed and passed on ${counted(recent, "commit")} in 14 days`
  if (ever > 0) return `failed and passed on ${counted(ever, "commit")} before`
  if (runs === 0) return `has not run on ${defaultBranch}`
  const hasFailed =
    failed > 0 || explanation.flakes > 0 || row?.outcomes.some(({ conclusion }) => conclusion === "failed")
  if (hasFailed !== true) return `never failed in ${counted(runs, "run")} of ${defaultBranch}`
  return explanation.flakes >= 0.5
    ? `failed for one commit of ${defaultBranch} and passed on the next, ${times(Math.round(explanation.flakes))}`
    : `failed in ${failed === 0 ? "some" : failed} of ${counted(runs, "run")} of ${defaultBranch}`
}

/** The flakes of the test within the given days before the failure; the start is exclusive. */
export const recentFlakes = (facts: Facts.FailureFacts, days: number): ReadonlyArray<Facts.Flake> =>
  facts.test.flakes.filter(({ at }) => at > facts.failure.at - days * Instant.day)

const commitsOf = (list: ReadonlyArray<{ readonly commit: string }>): number =>
  new Set(list.map(({ commit }) => commit)).size

const times = (count: number): string => (count <= 1 ? "once" : count === 2 ? "twice" : `${count} times`)

/** A number and its noun: `1 commit`, `3 commits`, `1,212 runs`. */
export const counted = (count: number, noun: string, plural = "s"): string =>
  `${digits.format(count)} ${noun}${count === 1 ? "" : plural}`

const digits = new Intl.NumberFormat("en-US")

/** All of some things: `the job`, `both jobs`, `all 3 jobs`. */
const everyOf = (count: number, noun: string): string =>
  count === 1 ? `the ${noun}` : count === 2 ? `both ${noun}s` : `all ${count} ${noun}s`

const sentences: { readonly [Kind in EvidenceKind]: (explained: Explained, piece: Piece) => string } = {
  passed_on_rerun: ({ facts }) => `passed on this commit in job ${facts.failure.jobName}`,
  attempts: ({ facts }) => `failed in ${everyOf(Facts.failedAttempts(facts), "attempt")}`,
  history: (explained) => historySentence(explained),
  changes: ({ explanation, facts }, { bits }) =>
    facts.failure.isPullRequest
      ? `${share(2 ** bits.change)} of the pull requests here break something${young(explanation)}`
      : `${share(2 ** bits.change)} of the commits of ${facts.failure.branch} break something${young(explanation)}`,
  base: ({ facts }, { bits }) => sinceSentence(facts, bits.base) ?? `has no outcome on ${facts.failure.base}`,
  jobs: ({ facts }) => jobsSentence(Facts.siblingCounts(facts)),
  message: (explained) => messageSentence(explained),
  run: ({ facts, run }) => runSentence(facts, run),
  elsewhere: ({ facts, policy }) =>
    `fails at the same time on ${counted(new Set(Facts.unrelatedRuns(facts, policy).map(({ branch }) => branch)).size, "unrelated branch", "es")}`,
  branch: ({ facts }) => earlierSentence(facts),
  next: ({ facts }) => nextSentence(facts),
  outage: ({ facts: { run } }) =>
    `health excuses this run as an outage: ${counted(run.judgement?.hit ?? 0, "test")} of ${run.judgement?.passedBefore ?? 0} that passed before`,
  calibration: (_, { bits }) =>
    `failures like this pass again ${bits.flake > 0 ? "more" : "less"} often in this repository`
}

/** How the test ended on the base, and how often a base that passed has broken until the run of a pull request. */
const sinceSentence = (facts: Facts.FailureFacts, bits: number): string | null => {
  const sentence = baseSentence(facts)
  const hasPassed = facts.failure.isPullRequest && Facts.baseRow(facts)?.conclusion === "passed"
  return hasPassed ? `${sentence}, which may have broken since then (${share(2 ** bits)})` : sentence
}

const earlierSentence = ({ earlier: { commits, same }, failure: { branch } }: Facts.FailureFacts): string =>
  same > 0
    ? `failed with the same message on ${counted(same, "earlier commit")} of ${branch}`
    : `failed with another message on ${counted(commits, "earlier commit")} of ${branch}`

const nextSentence = ({ defaultBranch, next }: Facts.FailureFacts): string => {
  const passedAt = next.findIndex(({ conclusion }) => conclusion === "passed")
  const failed = passedAt === -1 ? next.length : passedAt
  if (failed === 0) return `passed in the next run of ${defaultBranch}`
  return failed === 1
    ? `failed in the next run of ${defaultBranch}, too`
    : `failed in the next ${failed} runs of ${defaultBranch}, too`
}

const share = (value: number): string => (value < 0.01 ? "less than 1 %" : `${Math.round(value * 100)} %`)

const young = ({ commits }: Explanation): string => (commits === 0 ? ", as elsewhere" : "")

const messageSentence = ({ explanation, facts, run }: Explained): string => {
  const { failure } = facts
  const { signature } = failure
  const kind = Message.kindOf(failure.exceptionType, failure.message)
  if (signature === null) return "left no message"
  if (facts.run.outages.some(({ signatures }) => signatures.includes(signature)) && Message.mayBeOutage(kind)) {
    return "its message was seen in an outage before"
  }
  const onBase = Facts.baseRow(facts)?.signature ?? null
  if (onBase === signature) return `its message is that of ${facts.failure.base}`
  if (facts.test.signatures.includes(signature)) return "its message was seen when it flaked"
  if (kind === "network") return "its message names a service or a machine"
  if (kind === "load") return "its message says that code is missing or does not fit"
  if (onBase !== null && explanation.baseBroken > 0.1) return `fails with another message than on ${facts.failure.base}`
  if (facts.seen === 0)
    return run.sameMessage > 1 ? "their message was not seen before" : "its message was not seen before"
  return facts.seen === null || facts.seen === 0 ? "its message says little" : "its message was seen before"
}

const runSentence = ({ failure, job }: Facts.FailureFacts, { failures, sameMessage }: Explained["run"]): string => {
  const others = Math.max(job.failed, failures - 1)
  if (others === 0) return `is the only failure of job ${failure.jobName}`
  const count = counted(others, "other test")
  const verb = others === 1 ? "fails" : "fail"
  if (sameMessage > 2) return `${count} of job ${failure.jobName} ${verb}, ${sameMessage - 1} with the same message`
  return `${count} of job ${failure.jobName} ${verb}${sameMessage > 1 ? "" : others > 1 ? ", with other messages" : ""}`
}

/** The failures of a run say nothing by their number alone: what fits them better stands with it. */
const fitOf = ({ facts: { failure } }: Explained, rival: Cause, weight: number): string => {
  if (Math.abs(weight) < noticeable) return ""
  const cause = weight > 0 ? rival : "change"
  const other = weight > 0 ? "change" : rival
  return `, which fits ${called(cause, failure)} better than ${called(other, failure)}`
}

/** Below this many bits a piece speaks for neither side. */
const noticeable = 0.1

/** How a cause is called in a sentence about a failure. */
export const called = (cause: Cause, failure: Facts.FailedExecution): string => {
  if (cause === "base") return `a break on ${failure.base}`
  if (cause === "change") return Facts.isOnBase(failure) ? "this commit" : "this change"
  return names[cause]
}

const names: { readonly [C in Exclude<Cause, "base" | "change">]: string } = {
  flake: "a flake",
  environment: "an outage",
  dependency: "a changed dependency"
}

const references: { readonly [Kind in EvidenceKind]: (explained: Explained) => ReadonlyArray<Reference> } = {
  passed_on_rerun: ({ facts }) => Facts.provingReruns(facts).map(({ id }) => ({ kind: "execution", id })),
  attempts: ({ facts }) => [
    { kind: "execution", id: facts.failure.id },
    ...facts.reruns
      .filter(({ conclusion }) => conclusion === "failed")
      .map(({ id }): Reference => ({ kind: "execution", id }))
  ],
  history: ({ facts, policy }) => [
    { kind: "branch", id: facts.defaultBranch },
    ...recentFlakes(facts, policy.memoryDays).map(({ commit }): Reference => ({ kind: "commit", id: commit }))
  ],
  changes: ({ facts }) => [{ kind: "branch", id: facts.failure.branch }],
  base: ({ facts }) => ofBase(facts),
  jobs: ({ facts }) => facts.siblings.map(({ jobName }) => ({ kind: "job", id: jobName })),
  message: ({ facts }) => [{ kind: "execution", id: facts.failure.id }],
  run: ({ facts }) => [{ kind: "job", id: facts.failure.jobName }],
  elsewhere: ({ facts, policy }) =>
    Facts.unrelatedRuns(facts, policy).map(({ branch }) => ({ kind: "branch", id: branch })),
  branch: ({ facts }) => [{ kind: "branch", id: facts.failure.branch }],
  next: ({ facts }) => [
    { kind: "branch", id: facts.defaultBranch },
    ...facts.next.map(({ commit }): Reference => ({ kind: "commit", id: commit }))
  ],
  outage: ({ facts }) => [{ kind: "job", id: facts.failure.jobName }],
  calibration: ({ facts }) => [{ kind: "job", id: facts.failure.jobName }]
}

/** In how many jobs of the run the test fails, its own included. */
export const jobsSentence = ({ failed, passed }: { readonly passed: number; readonly failed: number }): string => {
  const all = failed + passed + 1
  return passed === 0 ? `fails in ${everyOf(all, "job")}` : `fails in ${failed + 1} of ${all} jobs`
}

const ofBase = (facts: Facts.FailureFacts): ReadonlyArray<Reference> => {
  const row = Facts.baseRow(facts)
  if (row === null) return [{ kind: "branch", id: facts.failure.base }]
  return [
    { kind: "branch", id: row.branch },
    { kind: "commit", id: row.commit }
  ]
}

const distinct = (list: ReadonlyArray<Reference>): ReadonlyArray<Reference> =>
  [...new Map(list.map((one) => [`${one.kind}\0${one.id}`, one])).values()]
    .sort((a, b) => Text.compare(a.kind, b.kind) || Text.compare(a.id, b.id))
    .slice(0, maximumReferences)
