/** A deliberately broken driver: a decorator over the driver in memory that breaks one promise of a driver. */
import type { FailureFacts, JobRecord, Report, Repository } from "@lazaret/domain"
import type { AppendOutcome, Driver, Scope, Transaction, View } from "@lazaret/store"
import { Effect, Option } from "effect"

/** A driver. */
export type Engine = Driver["Service"]

/** A fault: how it changes a driver, and the case of the suite that it must turn red. */
export interface Broken {
  readonly fault: string
  readonly law: string
  readonly change: (driver: Engine) => Engine
}

/** Changes what a view of the rows yields. */
export const withViews = (driver: Engine, change: (view: View) => Partial<View>): Engine => ({
  ...driver,
  read: (operation, scope, body) => driver.read(operation, scope, (view) => body({ ...view, ...change(view) })),
  snapshot: (operation, scope, body) => driver.snapshot(operation, scope, (view) => body({ ...view, ...change(view) }))
})

/** Changes what a transaction does. */
export const withTransactions = (
  driver: Engine,
  change: (transaction: Transaction) => Partial<Transaction>
): Engine => ({
  ...driver,
  transact: (operation, scope, at, body) =>
    driver.transact(operation, scope, at, (transaction) => body({ ...transaction, ...change(transaction) }))
})

/** Changes the repository that a transaction or a read is about. */
export const withScopes = (
  driver: Engine,
  place: (ref: Repository.RepositoryRef) => Repository.RepositoryRef
): Engine => {
  const of = (scope: Scope): Scope => (scope === null ? null : place(scope))
  return {
    ...driver,
    read: (operation, scope, body) => driver.read(operation, of(scope), body),
    snapshot: (operation, scope, body) => driver.snapshot(operation, of(scope), body),
    transact: (operation, scope, at, body) => driver.transact(operation, of(scope), at, body)
  }
}

/** Changes reports before they are recorded. */
export const withReports = (driver: Engine, change: (report: Report.Report) => Report.Report): Engine => ({
  ...driver,
  executions: { ...driver.executions, append: (ref, report) => driver.executions.append(ref, change(report)) }
})

/** Changes the outcomes of recording. */
export const withOutcomes = (driver: Engine, change: (outcome: AppendOutcome) => AppendOutcome): Engine => ({
  ...driver,
  executions: {
    ...driver.executions,
    append: (ref, report) => Effect.map(driver.executions.append(ref, report), change)
  }
})

/** Changes the executions of reports before they are recorded. */
export const withExecutions = (
  driver: Engine,
  change: (execution: Report.Report["executions"][number]) => Partial<Report.Report["executions"][number]>
): Engine =>
  withReports(driver, (report) => ({
    ...report,
    executions: report.executions.map((execution) => ({ ...execution, ...change(execution) }))
  }))

/** Changes the facts about failures. */
export const withFacts = (
  driver: Engine,
  change: (facts: FailureFacts.FailureFacts) => Partial<FailureFacts.FailureFacts>
): Engine => ({
  ...driver,
  triage: {
    ...driver.triage,
    failures: (ref, subject, windows) =>
      Effect.map(
        driver.triage.failures(ref, subject, windows),
        Option.map((found) => ({
          ...found,
          failures: found.failures.map((facts) => ({ ...facts, ...change(facts) }))
        }))
      )
  }
})

/** Changes the facts about the job runs of failures. */
export const withRuns = (
  driver: Engine,
  change: (run: JobRecord.JobRunFacts) => Partial<JobRecord.JobRunFacts>
): Engine => withFacts(driver, ({ run }) => ({ run: { ...run, ...change(run) } }))

/** Changes the runs of the default branch in the records of jobs. */
export const withBase = (driver: Engine, change: (run: JobRecord.BaseRun) => Partial<JobRecord.BaseRun>): Engine =>
  withRuns(driver, ({ record }) => ({
    record: { ...record, base: record.base.map((run) => ({ ...run, ...change(run) })) }
  }))

/** Reads first, and writes what came of it in a transaction of its own: two at a time do not see each other. */
export const unserialised = (driver: Engine): Engine => ({
  ...driver,
  transact: (operation, scope, at, body) =>
    Effect.gen(function* () {
      const writes: Array<(transaction: Transaction) => Effect.Effect<unknown, never>> = []
      const later = (write: (transaction: Transaction) => Effect.Effect<unknown, unknown>) => {
        writes.push((transaction) => Effect.orDie(write(transaction)))
      }
      const answer = yield* driver.read(operation, scope, (view) =>
        body({
          ...view,
          put: (table, rows) => Effect.sync(() => later((transaction) => transaction.put(table, rows))),
          remove: (table, where) =>
            Effect.tap(view.count(table, where), () =>
              Effect.sync(() => later((transaction) => transaction.remove(table, where)))
            ),
          log: (events) =>
            Effect.sync(() => {
              later((transaction) => transaction.log(events))
              return events.length
            })
        })
      )
      yield* Effect.yieldNow
      yield* driver.transact(operation, scope, at, (transaction) =>
        Effect.forEach(writes, (write) => write(transaction))
      )
      return answer
    })
})
