/** The stores on a distributed database, without a server: the suite of all stores, and weeks that come and go. */
import { Report } from "@lazaret/domain"
import { ExecutionStore, RetentionStore } from "@lazaret/store"
import { Conformance, Law } from "@lazaret/store-conformance"
import { PostgresClient, PostgresStores } from "@lazaret/store-postgres"
import { Cause, Effect, Logger, Redacted } from "effect"

/** The faults that the conformance suite finds. `thoroughness` is how often its laws are tried. */
export const conformance = (url: string, thoroughness: number) => {
  const found = Effect.forEach(Conformance.cases, faultOf, { concurrency: 4 }).pipe(
    Effect.map((faults) => ({ cases: Conformance.cases.length, faults: faults.flat() })),
    Effect.provideService(Law.Thoroughness, thoroughness),
    Effect.provide([PostgresStores.layer({ url: Redacted.make(url), ...patient }), Logger.layer([])])
  )
  const waiting = Effect.acquireUseRelease(
    lockTimeoutOfWorkers("2min"),
    () => found,
    () => lockTimeoutOfWorkers("10s")
  )
  return Effect.runPromise(Effect.provide(waiting, PostgresClient.layer(Redacted.make(url))))
}

/**
 * Citus lets one transaction at a time write to `repositories`, which every case does. On a busy machine a case waits longer than
 * a server would, and its law would be tried with smaller facts a thousand times.
 */
const patient = { lockTimeout: "2 minutes", patience: "2 minutes", statementTimeout: "5 minutes" } as const

/** Workers do not get the settings of a session, but those of their database (`Distribution`). */
const lockTimeoutOfWorkers = (time: "2min" | "10s") =>
  Effect.flatMap(
    PostgresClient,
    ({ sql }) => sql`
      SELECT run_command_on_workers(format('ALTER DATABASE %I SET lock_timeout = %L', current_database(), ${time}::text))`
  ).pipe(Effect.orDie)

const faultOf = ({ name, port, run }: (typeof Conformance.cases)[number]) =>
  Effect.match(Effect.sandbox(run), {
    onFailure: (cause) => [`${port}: ${name}: ${messagesOf(Cause.squash(cause)).join(" < ").slice(0, 2000)}`],
    onSuccess: () => []
  })

/** The messages of an error and of its causes, the innermost first. */
const messagesOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error ? [...messagesOf(error.cause), error.message].filter((text) => text !== "") : []

const week = 7 * 86_400_000

/** A report of tests that pass, at an instant that no other report has. */
export const report = (at: number, tests = 1): Report.Report =>
  Report.make({
    key: `of ${at}`,
    digest: String(at),
    receivedAt: at,
    finishedAt: at,
    run: {
      pipelineName: "CI",
      jobName: "unit",
      runId: String(at),
      runAttempt: 1,
      branch: "main",
      baseBranch: null,
      commit: `c${at}`,
      jobUrl: null,
      framework: null,
      frameworkVersion: null,
      language: null,
      pullRequest: null,
      pullNumber: null
    },
    cases: Array.from({ length: tests }, (_, index) => ({
      testName: `law ${index}`,
      at,
      durationMs: 1,
      conclusion: "passed",
      flaky: false,
      reruns: 0,
      exception: null,
      filepath: null,
      functionName: null
    }))
  })

/** The number of weeks that are made for uploads, and given back when their results were dropped. */
export const weeks = (url: string) => {
  const ref = { owner: "acme", repository: "weeks" }
  const first = Date.UTC(2021, 0, 6)
  return Effect.runPromise(
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const retention = yield* RetentionStore
      for (let index = 0; index < 4; index++) yield* executions.append(ref, report(first + index * week))
      yield* retention.drop(ref, first + 3 * week)
      return yield* retention.tidy(first + 60 * week)
    }).pipe(Effect.provide([PostgresStores.layer({ url: Redacted.make(url) }), Logger.layer([])]))
  )
}
