/** Generators of reports: job runs on awkward branches, and cases of every kind with awkward names. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import type { ExceptionReport } from "../report/Execution.ts"
import * as Instant from "../time/Instant.ts"
import type { PullRef } from "../report/PullRef.ts"
import * as Report from "../report/Report.ts"
import { names } from "./lists.ts"

/** The parts of a report. */
export type ReportParts = Parameters<typeof Report.make>[0]

/** When the generated reports finish; their cases finish within the two hours before, so that instants collide. */
export const latestFinish: Instant.Instant = Date.UTC(2026, 0, 1)

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const orNull = <A>(value: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A | null> =>
  Arbitrary.map(Arbitrary.all([value, Arbitrary.schema(Schema.Boolean)]), ([it, isThere]) => (isThere ? it : null))

/** Whole pull requests, few of them. */
export const pullRefs: Arbitrary.Arbitrary<PullRef> = Arbitrary.map(
  Arbitrary.all({ number: Arbitrary.schema(whole(1, 3)), title: names, login: names }),
  ({ number, title, login }) => ({ id: 1000 + number, number, title, user: { id: number, login } })
)

/**
 * Runs of few pipelines, jobs, branches and commits, so that they meet; on the default branch, on others, for pull
 * requests and in merge queues.
 */
export const runContexts: Arbitrary.Arbitrary<Report.RunContext> = Arbitrary.all({
  pipelineName: names,
  jobName: names,
  branch: orNull(Arbitrary.schema(Schema.Literals(["main", "master", "topic/100%_*?", "gh-readonly-queue/main/pr-1"]))),
  baseBranch: Arbitrary.schema(Schema.NullOr(Schema.Literals(["main"]))),
  commit: Arbitrary.schema(Schema.Literals(["c1", "c2", "c3"])),
  runId: Arbitrary.schema(Schema.Literals(["1", "2", "run \u{1f600}"])),
  runAttempt: Arbitrary.schema(whole(0, 3)),
  jobUrl: orNull(Arbitrary.schema(Schema.Literals(["https://ci.example/job/1?a=%2A#log"]))),
  framework: orNull(names),
  frameworkVersion: orNull(names),
  language: orNull(names),
  pullRequest: orNull(pullRefs),
  pullNumber: orNull(Arbitrary.schema(whole(0, 50)))
})

const exceptions: Arbitrary.Arbitrary<ExceptionReport> = Arbitrary.all({
  type: orNull(names),
  message: orNull(names),
  stacktrace: orNull(names)
})

const Draw = Schema.Struct({
  conclusion: Schema.Literals(["passed", "passed", "failed", "skipped"]),
  isFlaky: Schema.Boolean,
  reruns: whole(0, 3),
  durationUs: whole(0, 10_000_000)
})

/**
 * Cases of every conclusion; only passes are flaky, only failures and flaky passes have exceptions, skipped ones take no
 * time. Some have no time of their own.
 */
export const cases: Arbitrary.Arbitrary<Report.Case> = Arbitrary.map(
  Arbitrary.all({
    testName: names,
    draw: Arbitrary.schema(Draw),
    exception: exceptions,
    at: orNull(Arbitrary.schema(whole(0, 120))),
    filepath: orNull(names),
    functionName: orNull(names)
  }),
  ({ testName, draw, exception, at, filepath, functionName }) => {
    const flaky = draw.conclusion === "passed" && draw.isFlaky
    return {
      testName,
      at: at === null ? null : latestFinish - at * Instant.minute,
      durationMs: draw.conclusion === "skipped" ? 0 : draw.durationUs / 1000,
      conclusion: draw.conclusion,
      flaky,
      reruns: flaky ? 1 + draw.reruns : draw.conclusion === "failed" ? draw.reruns : 0,
      exception: draw.conclusion === "failed" || flaky ? exception : null,
      filepath,
      functionName
    }
  }
)

/**
 * The parts of reports of up to `maxLength` cases, received after they finished; few keys, so that some are equal.
 */
export const reportParts = (maxLength = 12): Arbitrary.Arbitrary<ReportParts> =>
  Arbitrary.map(
    Arbitrary.all({
      key: names,
      digest: names,
      delay: Arbitrary.schema(whole(0, 60)),
      run: runContexts,
      cases: Arbitrary.array(cases, { maxLength })
    }),
    ({ delay, ...parts }) => ({ ...parts, finishedAt: latestFinish, receivedAt: latestFinish + delay * Instant.minute })
  )

/** Reports of up to `maxLength` executions. */
export const reports = (maxLength = 12): Arbitrary.Arbitrary<Report.Report> =>
  Arbitrary.map(reportParts(maxLength), Report.make)
