/** The facts on the job runs of failures, each made once for all failures of the run. */
import { FailureRecords, JobRecord, JobRun } from "@lazaret/domain"
import { JobRecords as Rule, type Triages } from "@lazaret/store"
import { Effect } from "effect"
import type { Subject } from "./Facts.ts"
import * as JobRecords from "./JobRecords.ts"
import * as PastOutages from "./PastOutages.ts"
import * as RunJudgements from "./RunJudgements.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The facts on a job run, and the run next to its reference. */
export interface KnownRun {
  readonly facts: JobRecord.JobRunFacts
  readonly compared: RunJudgements.ComparedRun
}

/** Finds what is known of the job run of a question. */
export interface JobRunFacts {
  (question: Triages.Question): KnownRun
}

/** The facts on the job runs of questions. */
export const of = Effect.fnUntraced(function* (
  { place, runs, windows }: Subject,
  questions: ReadonlyArray<Triages.Question>
) {
  const distinct = [...new Map(questions.map((question) => [question.together, question])).values()]
  const spanOf = ({ asOf }: Triages.Question) => ({ start: FailureRecords.memory(asOf, windows).start, before: asOf })
  const numbers = yield* jobNumbers(place, distinct)
  const commits = new Map(runs.map(({ commitNo, run }) => [run.commit, commitNo]))
  const asked = distinct.flatMap((question) => {
    const jobNo = numbers.get(JobRun.jobKey(question.failure))
    if (jobNo === undefined) return []
    const { branch, commit } = question.failure
    return [{ question, jobNo, ...spanOf(question), notCommit: commits.get(commit) ?? -1, notBranch: branch }]
  })
  const records = yield* JobRecords.select(place, asked)
  const recordOf = new Map(asked.map(({ question }, index) => [question, records[index] ?? JobRecord.empty]))
  const outages = yield* PastOutages.select(place, [
    ...new Map(distinct.map((question) => [question.asOf, spanOf(question)])).values()
  ])
  const numbered = new Map(runs.map((each) => [each.run, each]))
  const judged = yield* RunJudgements.compare(
    place,
    distinct.flatMap(({ run }) => numbered.get(run) ?? [])
  )
  const known = new Map(
    distinct.map((question): readonly [Triages.Question["together"], KnownRun] => {
      const compared = judged.get(numbered.get(question.run)?.runNo ?? -1) ?? unknown
      const { judgement, missing } = compared
      const record = recordOf.get(question) ?? JobRecord.empty
      const facts = { record, outages: outages(spanOf(question)), judgement, missing }
      return [question.together, { facts, compared }]
    })
  )
  const find: JobRunFacts = ({ together }) => known.get(together) ?? { facts: JobRecord.unknownRun, compared: unknown }
  return find
})

const unknown: RunJudgements.ComparedRun = { ...Rule.unknown, run: null }

/** The numbers of jobs by name (`JobRun.jobKey`). */
const jobNumbers = (place: TriageRuns.Place, questions: ReadonlyArray<Triages.Question>) =>
  Effect.map(
    TriageRuns.jobsOf(place, [...new Set(questions.map(({ failure }) => failure.pipelineName))]),
    (rows) =>
      new Map(
        rows.map((row) => [JobRun.jobKey({ pipelineName: row.pipeline_name, jobName: row.job_name }), row.job_no])
      )
  )
