/** Sample facts: builders that default everything, so that a case shows only what matters. */
import {
  type ApplicationKey,
  Instant,
  Page,
  type PullRef,
  type Quarantine,
  QuarantineLife,
  Report,
  TestFilter,
  TestId
} from "@lazaret/domain"
import type { QuarantineQuery, TestQuery } from "@lazaret/store"
import { Effect } from "effect"

/** The moment that cases play at: noon of a day with nothing special about it. */
export const noon: Instant.Instant = Date.UTC(2026, 4, 20, 12)

/** The instant that lies this many days before {@link noon}. */
export const daysAgo = (days: number): Instant.Instant => noon - days * Instant.day

/** The instant this many minutes after `noon`. */
export const atMinute = (minute: number): Instant.Instant => noon + minute * Instant.minute

/** The name of the one test that most cases are about, and its id. */
export const testName = "Cart > adds"
export const testId: TestId.TestId = TestId.of(testName)

/** A run on the default branch `main`; `runId` is what tells job runs apart. */
export const run = (parts: Partial<Report.RunContext> & { readonly runId: string }): Report.RunContext => ({
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  baseBranch: null,
  commit: "c1",
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: null,
  pullNumber: null,
  ...parts
})

/**
 * A report with this key, of a job run that is named like it; executions that say nothing else passed at {@link noon}.
 *
 * **Details**
 *
 * Another key stands for other content too. The report arrives an hour after noon, or after its last execution.
 */
export const report = (
  key: string,
  context: Partial<Report.RunContext>,
  executions: ReadonlyArray<Partial<Report.Case>>
): Report.Report =>
  Report.make({
    key,
    digest: `content of ${key}`,
    receivedAt: Math.max(noon, ...executions.map(({ at }) => at ?? noon)) + Instant.hour,
    finishedAt: noon,
    run: run({ runId: key, ...context }),
    cases: executions.map(caseOf)
  })

const caseOf = (parts: Partial<Report.Case>): Report.Case => ({
  testName,
  at: noon,
  durationMs: parts.conclusion === "skipped" ? 0 : 1000,
  conclusion: "passed",
  flaky: false,
  reruns: 0,
  exception: null,
  filepath: null,
  functionName: null,
  ...parts
})

/** A failed execution with an exception. */
export const failure = (parts: Partial<Report.Case> = {}): Partial<Report.Case> => ({
  conclusion: "failed",
  exception: { type: "AssertionError", message: "1 is not 2", stacktrace: "at cart.test.ts:7" },
  ...parts
})

/** A failed execution of an outage: its message names a service. */
export const refused = (parts: Partial<Report.Case> = {}): Partial<Report.Case> =>
  failure({ exception: { type: "Error", message: "connect ECONNREFUSED 10.0.0.1:5432", stacktrace: null }, ...parts })

/** A merged pull request. */
export const pull = (number: number): PullRef.PullRef => ({
  id: 1000 + number,
  number,
  title: `Change ${number}`,
  user: { id: 3, login: "ada" }
})

/** New UUIDs in code-point order: ids that nothing on a shared store has. */
export const ids = <const N extends ReadonlyArray<string>>(
  ...names: N
): Effect.Effect<{ readonly [K in N[number]]: string }> =>
  Effect.sync(() => {
    const made = names.map(() => crypto.randomUUID() as string).sort()
    const entries = names.map((name, index) => [name, made[index]])
    // One id was made for each name.
    return Object.fromEntries(entries) as { readonly [K in N[number]]: string }
  })

/** An active quarantine for every branch, made by hand at {@link noon}. */
export const quarantine = (id: string, parts: Partial<Quarantine.Quarantine> = {}): Quarantine.Quarantine => ({
  id,
  testName,
  reason: "flaky since Monday",
  branch: null,
  createdAt: noon,
  createdBy: "key 1",
  source: "manual",
  removedAt: null,
  removedBy: null,
  ...QuarantineLife.unlimited,
  ...parts
})

/** An application key in force, with a hash that follows from its id, a UUID. */
export const key = (id: string, parts: Partial<ApplicationKey.ApplicationKey> = {}): ApplicationKey.ApplicationKey => ({
  id,
  name: "CI",
  owner: "acme",
  scope: "ci",
  hash: id.replaceAll("-", "").repeat(2),
  createdAt: noon,
  revokedAt: null,
  ...parts
})

/** A search for everything: by name, on one page, at {@link noon}. */
export const search = (parts: Partial<TestQuery> = {}): TestQuery => ({
  filter: TestFilter.all,
  sort: "test_name",
  direction: "asc",
  from: Page.start,
  limit: 100,
  now: noon,
  ...parts
})

/** A list of every active quarantine. */
export const listing = (parts: Partial<QuarantineQuery> = {}): QuarantineQuery => ({
  branch: null,
  testId: null,
  source: null,
  from: Page.start,
  limit: null,
  now: noon,
  ...parts
})
