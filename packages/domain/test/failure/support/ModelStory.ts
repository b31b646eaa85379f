/** Failures for the numbers of the model, in a line each. */
import { assert } from "@effect/vitest"
import { FailureFacts, FailureGate, FailurePolicy, FailureVerdict, Instant, JobRecord } from "@lazaret/domain"

export const at = Date.UTC(2026, 0, 31)

export const failure: FailureFacts.FailedExecution = {
  id: "e1",
  testName: "Cart > sorts",
  pipelineName: "CI",
  jobName: "unit",
  at,
  commit: "c9",
  branch: "topic",
  base: "main",
  isPullRequest: true,
  runId: "7",
  attempts: 1,
  exceptionType: null,
  message: "boom",
  file: "cart.test.ts",
  jobUrl: null,
  signature: "s1"
}

export type Facts = FailureFacts.FailureFacts
type Outcome = FailureFacts.BaseOutcome

/** The row of main, written from its latest run back: `+` passed, `-` failed alike, `~` failed differently, `?` without a
 * message, `o` in an outage. */
export const row = (outcomes: string): FailureFacts.BranchRow => {
  const listed = [...outcomes].map((sign, index): Outcome => ({
    conclusion: sign === "+" ? "passed" : "failed",
    commit: `m${index}`,
    at: at - (index + 1) * Instant.hour,
    isOutage: sign === "o",
    signature: sign === "+" || sign === "?" ? null : sign === "~" ? "s2" : "s1"
  }))
  const [latest = assert.fail("no outcome")] = listed
  const length = listed.findIndex(({ conclusion }) => conclusion !== latest.conclusion)
  return { ...latest, branch: "main", length: length === -1 ? listed.length : length, outcomes: listed }
}

/** The record of the job: the tests that failed in each run of main, the latest run first, and the red ones of the others. */
export const record = (
  runs: number,
  failures: (index: number) => ReadonlyArray<string> = () => [],
  others: JobRecord.JobRecord["others"] = { runs: 20, red: 3 }
): FailureFacts.FailureFacts["run"] => ({
  ...JobRecord.unknownRun,
  record: {
    base: Array.from({ length: runs }, (_, index) => ({
      at: at - (index + 1) * Instant.hour,
      commit: `m${index}`,
      passed: 99,
      failed: failures(index).length,
      isOutage: false,
      failures: failures(index)
    })),
    others
  }
})

export const known: Partial<Facts> = {
  job: { passed: 99, failed: 0, silent: 0 },
  run: record(30),
  rows: [row("+++++++++")],
  totals: { passed: 120, failed: 0 },
  seen: 0
}

export const of = (changes: Partial<Facts> = {}, execution: Partial<typeof failure> = {}): Facts =>
  FailureFacts.of({ ...failure, ...execution }, { ...known, ...changes })

/** Failures of one run; the first is asked about. */
export const together = (
  count: number,
  signature: (index: number) => string,
  file: (index: number) => string | null,
  changes: Partial<Facts> = {}
): ReadonlyArray<Facts> =>
  Array.from({ length: count }, (_, index) =>
    of(
      { job: { passed: 99, failed: count - 1, silent: 0 }, ...changes },
      { id: `e${index}`, testName: `Cart > ${index}`, signature: signature(index), file: file(index) }
    )
  )

export const flake = (commit: string, days: number, more: Partial<FailureFacts.Flake> = {}): FailureFacts.Flake => ({
  commit,
  jobName: "unit",
  at: at - days * Instant.day,
  ...more
})

export const siblings = (outcomes: string): Facts["siblings"] =>
  [...outcomes].map((sign, index) => ({
    pipelineName: "CI",
    jobName: `unit-${index}`,
    conclusion: sign === "+" ? "passed" : "failed"
  }))

export const rerun = (conclusion: "passed" | "failed", runId = "7"): FailureFacts.Rerun => ({
  id: `r${conclusion}`,
  runId,
  at: at + 1,
  conclusion
})

export const outage = (hours: number, signatures: ReadonlyArray<string>): JobRecord.PastOutage => ({
  at: at - hours * Instant.hour,
  commit: "old",
  pipelineName: "CI",
  jobName: "e2e",
  failed: 40,
  passed: 60,
  signatures
})

export const network = { message: "connect ECONNREFUSED 10.0.0.5:5432" }
export const onMain = { branch: "main", isPullRequest: false } as const
export const next = (outcomes: string): Facts["next"] => row(outcomes).outcomes
export const elsewhere = [{ branch: "other", base: "main", commit: "o", at: at - 5 * Instant.hour, shared: 1 }]
export const outages = (index: number): ReadonlyArray<string> => (index % 9 === 1 ? ["Cart > stacks"] : [])

export const withRuns = (change: (run: JobRecord.BaseRun, index: number) => JobRecord.BaseRun): Facts["run"] => {
  const run = record(30)
  return { ...run, record: { ...run.record, base: run.record.base.map(change) } }
}

/** The bits of each cause below the most probable one, in the order of the causes. */
const bitsOf = ({ causes }: FailureVerdict.FailureVerdict): ReadonlyArray<number> => {
  const most = Math.max(...FailurePolicy.Cause.literals.map((cause) => causes[cause]))
  return FailurePolicy.Cause.literals.map((cause) => Math.log2(Math.max(1e-15, causes[cause]) / most))
}

const answerOf = (story: Facts | ReadonlyArray<Facts>): FailureVerdict.FailureVerdict => {
  const failures = "failure" in story ? [story] : story
  const [first] = FailureVerdict.judgeAll(failures, FailurePolicy.defaults, FailureGate.defaults)
  return first ?? assert.fail("no answer")
}

/** The parts of an answer that are written down; numbers with three decimals. */
export const shownOf = (story: Facts | ReadonlyArray<Facts>) => shown(answerOf(story))

const shown = (answer: FailureVerdict.FailureVerdict) => ({
  bits: bitsOf(answer).map(rounded),
  passesAgain: rounded(answer.probabilityFlaky),
  title: answer.title,
  reason: answer.reason,
  evidence: answer.evidence.map(
    ({ kind, restsOn, sentence, weight }) =>
      `${kind} ${rounded(weight)}: ${sentence} (${restsOn.map((one) => `${one.kind} ${one.id}`).join(", ")})`
  )
})

const rounded = (number: number): number => Number(number.toFixed(3)) + 0
