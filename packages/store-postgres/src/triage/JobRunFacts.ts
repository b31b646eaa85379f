/** The facts on the job runs of failures, each made once for all failures of the run. */
import { FailureRecords, JobRecord, JobRun } from "@lazaret/domain"
import type { Triages } from "@lazaret/store"
import { Effect } from "effect"
import type { Subject } from "./Facts.ts"
import * as JobRecords from "./JobRecords.ts"
import * as PastOutages from "./PastOutages.ts"
import * as RunJudgements from "./RunJudgements.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** Finds the facts on the job run of a question. */
export interface JobRunFacts {
  (question: Triages.Question): JobRecord.JobRunFacts
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
  const known = distinct.flatMap((question) => {
    const jobNo = numbers.get(JobRun.jobKey(question.failure))
    if (jobNo === undefined) return []
    const { branch, commit } = question.failure
    return [{ question, jobNo, ...spanOf(question), notCommit: commits.get(commit) ?? -1, notBranch: branch }]
  })
  const records = yield* JobRecords.select(place, known)
  const recordOf = new Map(known.map(({ question }, index) => [question, records[index] ?? JobRecord.empty]))
  const outages = yield* PastOutages.select(place, [
    ...new Map(distinct.map((question) => [question.asOf, spanOf(question)])).values()
  ])
  const numbered = new Map(runs.map((each) => [each.run, each]))
  const judged = yield* RunJudgements.compare(
    place,
    distinct.flatMap(({ run }) => numbered.get(run) ?? [])
  )
  const facts = new Map(
    distinct.map((question): readonly [Triages.Question["together"], JobRecord.JobRunFacts] => {
      const { judgement, missing } = judged.get(numbered.get(question.run)?.runNo ?? -1) ?? unjudged
      const record = recordOf.get(question) ?? JobRecord.empty
      return [question.together, { record, outages: outages(spanOf(question)), judgement, missing }]
    })
  )
  const find: JobRunFacts = ({ together }) => facts.get(together) ?? JobRecord.unknownRun
  return find
})

const unjudged = { judgement: null, missing: null }

/** The numbers of jobs by name (`JobRun.jobKey`). */
const jobNumbers = (place: TriageRuns.Place, questions: ReadonlyArray<Triages.Question>) =>
  Effect.map(
    TriageRuns.jobsOf(place, [...new Set(questions.map(({ failure }) => failure.pipelineName))]),
    (rows) =>
      new Map(
        rows.map((row) => [JobRun.jobKey({ pipelineName: row.pipeline_name, jobName: row.job_name }), row.job_no])
      )
  )
