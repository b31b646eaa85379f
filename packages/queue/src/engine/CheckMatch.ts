/** Matches of the checks of a commit with the jobs whose tests were reported for it. */
import { Schema } from "effect"
import { Text } from "@lazaret/domain"

/** Schema of how a check and a job were matched; null: no job is like the check. */
export const By = Schema.NullOr(Schema.Literals(["name", "words", "part", "rest"]))

/** Schema of the jobs of a check, each as the name of its pipeline and its own. */
export const CheckMatch = Schema.Struct({
  check: Text.between(1, 1000),
  jobs: Schema.Array(Schema.Struct({ pipelineName: Schema.String, jobName: Schema.String })),
  by: By
})

/**
 * The jobs of a check.
 *
 * **Details**
 *
 * - `name`: the check has the name of the job, or of the pipeline and the job with a slash between.
 * - `words`: both have the same words, whatever is between them and whatever their case, without the values of a matrix and
 *   without the workflow that called the job.
 * - `part`: they share a word that tells jobs apart, and share one with nothing else: `Unit tests` and the job `unit`, or an
 *   artifact `junit-unit`.
 * - `rest`: nothing else is left on both sides.
 */
export type CheckMatch = typeof CheckMatch.Type

/** A job that reported tests. */
export type Job = CheckMatch["jobs"][number]

/**
 * The jobs of each check.
 *
 * **Details**
 *
 * A platform calls the check of a job by its `name`, with the values of a matrix in brackets, behind the job that called its
 * workflow; a report has the key of the job in the file, or the name of the artifact that held it. The stricter kind of match
 * counts first; a job is the job of several checks only where they are its matrix.
 *
 * @example
 * ```ts
 * import { CheckMatch } from "@lazaret/queue"
 *
 * const job = (jobName: string) => ({ pipelineName: "CI", jobName })
 * const by = (check: string, ...jobs: ReadonlyArray<string>) => CheckMatch.of([check, "other"], jobs.map(job))[0]?.by
 * by("unit", "unit", "lint") // => "name"
 * by("CI / unit", "unit") // => "name"
 * by("Build / unit (22, linux)", "unit") // => "words"
 * by("Unit tests", "unit", "e2e") // => "part"
 * by("lint", "unit") // => null
 * CheckMatch.of(["Everything"], [job("main")])[0]?.by // => "rest"
 * ```
 */
export const of = (checks: ReadonlyArray<string>, jobs: ReadonlyArray<Job>): ReadonlyArray<CheckMatch> => {
  const found = new Map<string, CheckMatch>()
  const isFree = (job: Job) => ![...found.values()].some((match) => match.jobs.includes(job))
  const open = () => checks.filter((check) => !found.has(check))
  for (const by of ["name", "words"] as const) {
    const free = jobs.filter(isFree)
    for (const check of open())
      add(
        found,
        check,
        free.filter((job) => alike[by](check, job)),
        by
      )
  }
  const free = jobs.filter(isFree)
  for (const { check, jobs: own } of parts(open(), free)) add(found, check, own, "part")
  const [check, ...others] = open()
  const left = jobs.filter(isFree)
  if (check !== undefined && others.length === 0 && left.length === 1) add(found, check, left, "rest")
  return checks.map((name) => found.get(name) ?? { check: name, jobs: [], by: null })
}

/** The table after a newer one: a check that has no job in the newer one keeps those that it had. */
export const merge = (before: ReadonlyArray<CheckMatch>, after: ReadonlyArray<CheckMatch>): ReadonlyArray<CheckMatch> =>
  after.map((match) => (match.by === null ? (before.find(({ check }) => check === match.check) ?? match) : match))

/** The sentence that explains a match to people. */
export const sentence = ({ by, check, jobs }: CheckMatch): string => {
  const names = jobs.map(({ jobName, pipelineName }) => `${pipelineName} / ${jobName}`).join(", ")
  switch (by) {
    case null:
      return `No job that reports tests is like the check ${check}: each failure of it is of unknown cause. Report its tests with the name of the check, or of its job, as the job.`
    case "name":
      return `Its tests are those that the job ${names} reports.`
    case "words":
    case "part":
      return `Its tests are taken to be those that the job ${names} reports: the names are alike.`
    case "rest":
      return `Its tests are taken to be those that the job ${names} reports: no other check and no other job is left.`
  }
}

const add = (found: Map<string, CheckMatch>, check: string, jobs: ReadonlyArray<Job>, by: CheckMatch["by"]): void => {
  if (jobs.length > 0) found.set(check, { check, jobs, by })
}

const alike = {
  name: (check: string, { jobName, pipelineName }: Job) => [jobName, `${pipelineName} / ${jobName}`].includes(check),
  words: (check: string, { jobName, pipelineName }: Job) => {
    const own = key(jobName)
    return (
      own !== "" &&
      [key(check), key(last(check))].some((each) => each === own || each === key(`${pipelineName} ${jobName}`))
    )
  }
}

/** The words of a name without the values of a matrix. */
const words = (name: string): ReadonlyArray<string> =>
  name
    .replace(/\s*\([^()]*\)\s*$/u, "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

const key = (name: string): string => words(name).join(" ")

/** The job of a check of a called workflow. */
const last = (check: string): string => check.split(" / ").at(-1) ?? check

/** Words that every second job has. */
const common = new Set(
  "artifact artifacts check checks ci job junit report reports result results run test tests testing the xml".split(" ")
)

const marks = (name: string): ReadonlyArray<string> => words(name).filter((word) => !common.has(word))

const share = (check: string, { jobName }: Job): boolean => marks(check).some((word) => marks(jobName).includes(word))

/** The checks that share a word with one job alone, and that job with no other check. */
const parts = (checks: ReadonlyArray<string>, jobs: ReadonlyArray<Job>) =>
  checks.flatMap((check) => {
    const own = jobs.filter((job) => share(check, job))
    const [job] = own
    const isOnly = own.length === 1 && job !== undefined && checks.filter((each) => share(each, job)).length === 1
    return isOnly ? [{ check, jobs: own }] : []
  })
