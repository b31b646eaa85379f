/** Files that did not load in job runs: the missing tests of each, by the name of the failure that stands for it. */
import { TestSet, UnloadedFiles } from "@lazaret/domain"
import { JobRecords as Rule, type Triages } from "@lazaret/store"
import { Effect } from "effect"
import type * as Judgement from "../append/Judgement.ts"
import * as Parameter from "../database/Parameter.ts"
import * as JobRecords from "./JobRecords.ts"
import type { JobRunFacts } from "./JobRunFacts.ts"
import type * as TriageRuns from "./TriageRuns.ts"

/** Finds how many tests of the file that a failure stands for are missing in its job run. */
export interface Unloaded {
  (question: Triages.Question): number
}

/** The missing tests of failures that passed in no run of the base. Reads nothing for a run that has all tests of its reference. */
export const of = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  runOf: JobRunFacts,
  neverPassed: ReadonlyArray<Triages.Question>
) {
  const found = new Map<Triages.Question["together"], UnloadedFiles.Counts>()
  for (const [together, questions] of Map.groupBy(neverPassed, (question) => question.together)) {
    const names = new Set(questions.map(({ failure }) => failure.testName))
    for (const { compared } of questions.slice(0, 1).map(runOf))
      found.set(together, yield* inRun(place, compared, names))
  }
  const find: Unloaded = ({ failure, together }) => found.get(together)?.get(failure.testName) ?? 0
  return find
})

const inRun = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  { run, ...compared }: ReturnType<JobRunFacts>["compared"],
  names: ReadonlySet<string>
) {
  if (run === null || !Rule.mayLackFiles(compared)) return none
  const missing = yield* JobRecords.selectNames(place, TestSet.numbers(compared.lacking))
  const candidates = UnloadedFiles.candidates(
    names,
    missing.map((row) => row.test_name)
  )
  if (candidates.size === 0) return none
  const ran = Rule.ranIn(run)
  const tests = yield* selectIn(place, run, [...candidates.keys()])
  return UnloadedFiles.confirmed(
    candidates,
    tests.flatMap((row) => (TestSet.has(ran, row.test_no) ? [row.test_name] : []))
  )
})

const none: UnloadedFiles.Counts = new Map()

/** The tests of files in the job of a run. */
const selectIn = (
  { repositoryId, sql }: TriageRuns.Place,
  { runNo }: Judgement.JudgedRun,
  files: ReadonlyArray<string>
) => sql<{ readonly test_no: number; readonly test_name: string }>`
  SELECT t.test_no, t.test_name
  FROM unnest(${Parameter.int4s([runNo])}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT job_no
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_no BETWEEN n.run_no AND n.run_no
    ORDER BY run_no
    LIMIT 1
  ) r
  CROSS JOIN LATERAL (
    SELECT test_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND job_no = r.job_no AND EXISTS (
      SELECT
      FROM unnest(${Parameter.texts(files)}) AS f (name)
      WHERE starts_with(test_name, f.name)
    )
    OFFSET 0
  ) t`
