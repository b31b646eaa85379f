/**
 * Generated job runs: few tests, jobs, commits and branches over five weeks, so that everything that a store must keep
 * apart meets: reruns, contradictions, outages, uploads of one run, late arrivals, branches that do not count.
 */
import { Instant, Report } from "@lazaret/domain"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Sample from "./Sample.ts"

/** The names of the generated tests; they differ by case, by accent, by the wildcards of SQL. */
export const testNames = ["adds", "Adds", "adds_%", "\u00e9\u{1f600}"] as const

/** When the first generated run starts; all of them end before `Sample.noon`. */
export const origin: Instant.Instant = Instant.startOfLastDays(Sample.noon, 36)

/** The commits of the generated runs. */
export const commits = (): ReadonlyArray<string> => Array.from({ length: slots + 18 }, (_, index) => `c${index}`)

const slots = 34

/** A day, so that executions often lie whole days apart: there the rules have their edges. */
const slotWidth = Instant.day

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Each value as often as its weight says. */
const frequent = <const A extends string | number>(
  ...weighted: ReadonlyArray<readonly [weight: number, value: A]>
): ReadonlyArray<A> => weighted.flatMap(([weight, value]) => Array.from({ length: weight }, () => value))

/** Schema of the outcome of one test in a generated run. */
export const Result = Schema.Struct({
  testName: Schema.Literals([...frequent([8, "adds"]), ...testNames]),
  outcome: Schema.Literals(frequent([12, "passed"], [6, "failed"], [1, "flaky"], [1, "skipped"])),
  reruns: Schema.Literals([0, 1, 2]),
  millisecond: Schema.Literals([0, 0, 1, 2]),
  minute: whole(0, 600),
  durationUs: whole(0, 90_000_000),
  exceptionType: Schema.NullOr(Schema.Literals(["AssertionError", "Error", ""])),
  message: Schema.NullOr(Schema.Literals(["1 is not 2", "12 is not 13", "timeout after 30 ms", ""])),
  filepath: Schema.NullOr(Schema.Literals(["src/cart.ts", "src/shop.ts"]))
})

/** Schema of one generated upload: a job run, or a part of one. */
export const JobRun = Schema.Struct({
  slot: Schema.Literals(Array.from({ length: slots + 1 }, (_, index) => index)),
  lag: Schema.Literals(frequent([8, 0], [1, 1], [1, 2], [1, 17])),
  pipelineName: Schema.Literals(frequent([5, "CI"], [1, "nightly"])),
  jobName: Schema.Literals(frequent([5, "unit"], [1, "Unit"])),
  branch: Schema.Literals(
    frequent([12, "main"], [4, "default"], [1, "master"], [3, "topic"], [2, "pull"], [1, "queue"], [1, "fork"])
  ),
  runAttempt: Schema.Literals(frequent([4, 1], [1, 2])),
  mood: Schema.Literals(frequent([6, "mixed"], [6, "good"], [1, "down"])),
  framework: Schema.NullOr(Schema.Literals(["vitest", "jest"])),
  isTraced: Schema.Boolean,
  results: Schema.Array(Result).check(Schema.isBetweenLength(1, 6))
})

/** One generated upload. */
export type JobRun = typeof JobRun.Type

/** Generated uploads. */
export const jobRuns: Arbitrary.Arbitrary<JobRun> = Arbitrary.schema(JobRun)

/** The report of a generated upload, under a key that is unique in its repository. */
export const reportOf = (draw: JobRun, key: string): Report.Report =>
  Report.make({
    key,
    digest: `content of ${key}`,
    receivedAt: Sample.noon,
    finishedAt: Sample.noon,
    run: contextOf(draw),
    cases: draw.results.map((result) => caseOf(result, draw))
  })

const contextOf = (draw: JobRun): Report.RunContext => {
  const number = draw.slot + 17 - draw.lag
  const commit = `c${number}`
  return {
    ...branchesOf(draw.branch),
    pipelineName: draw.pipelineName,
    jobName: draw.jobName,
    commit,
    runId: `run ${draw.slot}`,
    runAttempt: draw.runAttempt,
    jobUrl: draw.framework === null ? null : `https://ci.example/jobs/${draw.slot}`,
    framework: draw.framework,
    frameworkVersion: draw.framework === "jest" ? "29.7.0" : null,
    language: draw.framework === null ? null : "typescript",
    pullRequest: draw.isTraced ? Sample.pull(number) : null,
    pullNumber: null
  }
}

const branchesOf = (branch: JobRun["branch"]): Pick<Report.RunContext, "branch" | "baseBranch"> => {
  if (branch === "pull") return { branch: "main", baseBranch: "main" }
  if (branch === "fork") return { branch: "ada:topic", baseBranch: "main" }
  if (branch === "queue") return { branch: "gh-readonly-queue/main/pr-1", baseBranch: null }
  return { branch: branch === "default" ? null : branch, baseBranch: null }
}

const caseOf = (result: JobRun["results"][number], draw: JobRun): Report.Case => {
  const outcome = outcomeOf(result.outcome, draw.mood)
  return {
    testName: result.testName,
    at: origin + draw.slot * slotWidth + result.minute * Instant.minute + result.millisecond,
    durationMs: outcome === "skipped" ? 0 : result.durationUs / 1000,
    conclusion: outcome === "flaky" ? "passed" : outcome,
    flaky: outcome === "flaky",
    reruns: outcome === "flaky" ? 1 + result.reruns : outcome === "failed" ? result.reruns : 0,
    exception: outcome === "failed" || outcome === "flaky" ? exceptionOf(result) : null,
    filepath: result.filepath,
    functionName: result.filepath === "src/cart.ts" ? result.testName : null
  }
}

/** A quarantine absorbed the failure where the exception is missing. */
const exceptionOf = ({ exceptionType, message, reruns }: JobRun["results"][number]): Report.Case["exception"] =>
  reruns === 2 ? null : { type: exceptionType, message, stacktrace: reruns === 1 ? "at cart.ts:7" : null }

const outcomeOf = (outcome: JobRun["results"][number]["outcome"], mood: JobRun["mood"]): typeof outcome => {
  if (mood === "down") return "failed"
  return mood === "good" && outcome === "failed" ? "passed" : outcome
}
