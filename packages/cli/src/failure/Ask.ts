/** Asks a server for the verdicts on failures in reports that it may not have. */
import type { Schemas } from "@lazaret/api"
import { MissedTests, type Report, type Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type * as CiRun from "../ci/CiRun.ts"
import * as Gate from "./Gate.ts"
import { both } from "../connection/Request.ts"
import type * as MissedLines from "./MissedLines.ts"
import * as Session from "../connection/Session.ts"
import * as Verdicts from "./FailureLines.ts"

/** Reports, and the job that wrote them. */
export interface Question {
  readonly params: Repository.RepositoryRef
  readonly reports: Gate.Facts["reports"]
  readonly job: Job
}

/** The job as a question names it. */
export type Job = Omit<Body, "failures" | "passed">

/** The verdicts on the failures of reports, in their order. */
export type Answer = ReadonlyArray<Verdicts.Failure>

/** The tests that the recorded reports of a job lack, one sentence about them, and whether the gate stops for it. */
export interface Lacking {
  readonly missing: ReadonlyArray<MissedLines.Missed>
  readonly sentence: string
  readonly isBlocking: boolean
}

/** Asks which tests the recorded reports of a job lack, and about no failure; null without any, and when the server does not answer. */
export const lacking = (session: Session.Session, { job, params }: Omit<Question, "reports">) =>
  session
    .call(Session.nameOf(params), (api) => api.askTriage({ params, payload: { ...job, failures: [] }, ...both }))
    .pipe(
      Effect.map(({ value }) => lackingOf(value)),
      Effect.orElseSucceed(() => null)
    )

const lackingOf = ({
  conclusion,
  missing
}: Pick<typeof Schemas.AskedTriage.Type, "conclusion" | "missing">): Lacking | null => {
  const sentence = MissedTests.sentence(missing.map((each) => ({ ...each, jobNames: each.job_names })))
  return sentence === null ? null : { missing, sentence, isBlocking: conclusion === "failure" }
}

/**
 * The verdicts on the failures in reports of a job, in their order.
 *
 * **Details**
 *
 * A proven attempt of a test (`Gate.attempts`) passes when the test does.
 */
export const ask = Effect.fnUntraced(function* (session: Session.Session, question: Question) {
  const cases = question.reports.flatMap(({ parsed }) => parsed.cases)
  const passed = cases.filter(({ conclusion }) => conclusion === "passed").length
  const failed = cases.filter(({ conclusion }) => conclusion === "failed").map(failureOf)
  const answers = yield* Effect.forEach(batches(failed), (failures) => {
    const payload = { ...question.job, passed, failures }
    return session.call(Session.nameOf(question.params), (api) =>
      api.askTriage({ params: question.params, payload, ...both })
    )
  })
  const answer = answers.flatMap(({ value }): Answer => value.failures)
  const attempts = Gate.attempts(question.reports)
  const passing = Verdicts.passing(answer)
  return answer.map((each): Verdicts.Failure => {
    const test = attempts.get(each.test_name)
    if (test === undefined || !passing.has(test)) return each
    return { ...each, is_blocking: false, gate_reason: `an attempt of ${test}` }
  })
})

type Body = typeof Schemas.AskTriage.Type

/**
 * The job of a CI system; null when it does not say pipeline, job or commit. `branch` is the one whose quarantines apply,
 * null for that of the job.
 */
export const jobOf = (ci: CiRun.CiRun | null, branch: string | null): Job | null => {
  if (ci === null || ci.pipeline === null || ci.job === null || ci.commit === null) return null
  const attempt = Number(ci.runAttempt ?? 1)
  return {
    pipeline_name: ci.pipeline,
    job_name: ci.job,
    commit: ci.commit,
    branch: ci.baseBranch === null ? (branch ?? ci.branch) : ci.branch,
    base_branch: ci.baseBranch === null ? null : (branch ?? ci.baseBranch),
    run_id: ci.runId,
    run_attempt: Number.isInteger(attempt) ? attempt : 1,
    job_url: ci.jobUrl
  }
}

/** The longest message that is sent: the first line decides, and the rest is for people who have the report. */
const longestMessage = 2000

const failureOf = ({ exception, filepath, reruns, testName }: Report.Case): Body["failures"][number] => ({
  test_name: testName,
  message: exception?.message?.slice(0, longestMessage).toWellFormed() ?? null,
  exception_type: exception?.type ?? null,
  file: filepath,
  attempts: Math.min(1000, reruns + 1)
})

/** The server accepts 1,000 failures and 1 MiB in one request. */
const most = { failures: 1000, bytes: 500_000 }

const batches = (failures: Body["failures"]): ReadonlyArray<Body["failures"]> => {
  const all: Array<Array<Body["failures"][number]>> = []
  let room = 0
  for (const failure of failures) {
    const size = Buffer.byteLength(JSON.stringify(failure)) + 1
    const last = all.at(-1)
    if (last === undefined || size > room || last.length >= most.failures) {
      all.push([failure])
      room = most.bytes - size
    } else {
      last.push(failure)
      room -= size
    }
  }
  return all
}
