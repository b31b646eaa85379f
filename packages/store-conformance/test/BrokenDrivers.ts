/** Deliberately broken drivers: decorators over the driver in memory, each of which breaks one promise of a driver. */
import { type FailureFacts, Instant, Report, type Repository, Retention, TestFilter, TimeWindow } from "@lazaret/domain"
import type { AppendOutcome, Driver, Scope, Transaction, View } from "@lazaret/store"
import { Effect, Option } from "effect"

type Engine = Driver["Service"]

/** A fault: how it changes a driver, and the case of the suite that it must turn red. */
export interface Broken {
  readonly fault: string
  readonly law: string
  readonly change: (driver: Engine) => Engine
}

const withViews = (driver: Engine, change: (view: View) => Partial<View>): Engine => ({
  ...driver,
  read: (operation, scope, body) => driver.read(operation, scope, (view) => body({ ...view, ...change(view) })),
  snapshot: (operation, scope, body) => driver.snapshot(operation, scope, (view) => body({ ...view, ...change(view) }))
})

const withTransactions = (driver: Engine, change: (transaction: Transaction) => Partial<Transaction>): Engine => ({
  ...driver,
  transact: (operation, scope, at, body) =>
    driver.transact(operation, scope, at, (transaction) => body({ ...transaction, ...change(transaction) }))
})

const withScopes = (driver: Engine, place: (ref: Repository.RepositoryRef) => Repository.RepositoryRef): Engine => {
  const of = (scope: Scope): Scope => (scope === null ? null : place(scope))
  return {
    ...driver,
    read: (operation, scope, body) => driver.read(operation, of(scope), body),
    snapshot: (operation, scope, body) => driver.snapshot(operation, of(scope), body),
    transact: (operation, scope, at, body) => driver.transact(operation, of(scope), at, body)
  }
}

const withReports = (driver: Engine, change: (report: Report.Report) => Report.Report): Engine => ({
  ...driver,
  executions: { ...driver.executions, append: (ref, report) => driver.executions.append(ref, change(report)) }
})

const withOutcomes = (driver: Engine, change: (outcome: AppendOutcome) => AppendOutcome): Engine => ({
  ...driver,
  executions: {
    ...driver.executions,
    append: (ref, report) => Effect.map(driver.executions.append(ref, report), change)
  }
})

const withExecutions = (
  driver: Engine,
  change: (execution: Report.Report["executions"][number]) => Partial<Report.Report["executions"][number]>
): Engine =>
  withReports(driver, (report) => ({
    ...report,
    executions: report.executions.map((execution) => ({ ...execution, ...change(execution) }))
  }))

const withFacts = (
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

/** Reads first, and writes what came of it in a transaction of its own: two at a time do not see each other. */
const unserialised = (driver: Engine): Engine => ({
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

/** Every broken driver. */
export const all: ReadonlyArray<Broken> = [
  {
    fault: "fills the first and the last bucket beyond the window",
    law: "buckets are those of the domain and hold what is in the window, for random instants and every size",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        rollups: (ref, testId, window, width) =>
          driver.executions.rollups(ref, testId, TimeWindow.widen(window, width), width)
      }
    })
  },
  {
    fault: "writes the first of several rows only",
    law: "the automation begins as many quarantines as it may in a day, ended ones included",
    change: (driver) => withTransactions(driver, ({ put }) => ({ put: (table, rows) => put(table, rows.slice(0, 1)) }))
  },
  {
    fault: "keeps the row that was there before",
    law: "pull requests are kept per commit, whole, and a later fact replaces an earlier one",
    change: (driver) =>
      withTransactions(driver, ({ count, put }) => ({
        put: (table, rows) => Effect.flatMap(count(table, []), (known) => (known > 0 ? Effect.void : put(table, rows)))
      }))
  },
  {
    fault: "finds no row of which a field is at most a value",
    law: "ends and reminders are stored once, also by concurrent rounds",
    change: (driver) =>
      withTransactions(driver, ({ select }) => ({
        select: (table, query) =>
          query.where.some(([, operator]) => operator === "<=") ? Effect.succeed([]) : select(table, query)
      }))
  },
  {
    fault: "says that it removed a row which was not there",
    law: "of a subscription every field is kept, in the order of creation, until it ends",
    change: (driver) =>
      withTransactions(driver, ({ remove }) => ({ remove: (...what) => Effect.map(remove(...what), () => 1) }))
  },
  {
    fault: "removes every row of a table",
    law: "events before an instant are dropped, and their positions are not used again",
    change: (driver) => withTransactions(driver, ({ remove }) => ({ remove: (table) => remove(table, []) }))
  },
  {
    fault: "removes nothing",
    law: "a pause keeps its date and takes the new reason; its end reports whether there was one",
    change: (driver) => withTransactions(driver, ({ count }) => ({ remove: (table, where) => count(table, where) }))
  },
  {
    fault: "leaves the log empty",
    law: "a pause is logged when it begins, when its reason changes, and when it ends",
    change: (driver) => withTransactions(driver, () => ({ log: (events) => Effect.succeed(events.length) }))
  },
  {
    fault: "counts events that are in the log already",
    law: "an event is kept as it was appended, once, whatever its id is appended with later",
    change: (driver) =>
      withTransactions(driver, ({ log }) => ({ log: (events) => Effect.as(log(events), events.length) }))
  },
  {
    fault: "turns the order of events round",
    law: "the same event is appended once when it arrives concurrently",
    change: (driver) => withTransactions(driver, ({ log }) => ({ log: (events) => log(events.toReversed()) }))
  },
  {
    fault: "does not know how far the log is",
    law: "of a record every field is kept",
    change: (driver) =>
      withViews(
        withTransactions(driver, () => ({ head: Effect.succeed(0) })),
        () => ({ head: Effect.succeed(0) })
      )
  },
  {
    fault: "ignores the limit of a query",
    law: "reading on from the last position yields every event once, in order, also while some are appended",
    change: (driver) =>
      withViews(driver, ({ select }) => ({ select: (table, { limit: _limit, ...query }) => select(table, query) }))
  },
  {
    fault: "ignores the order of a query",
    law: "the list holds every repository once, in the order of its key",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) => Effect.map(select(table, query), (rows) => rows.toReversed())
      }))
  },
  {
    fault: "ignores the last condition of a query",
    law: "a key is found by its hash, with every field",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) => select(table, { ...query, where: query.where.slice(0, -1) })
      }))
  },
  {
    fault: "counts one row too many",
    law: "pages of any size follow one another, newest first, of all events or of some types",
    change: (driver) =>
      withViews(driver, ({ page }) => ({
        page: (...what) => Effect.map(page(...what), ({ rows, total }) => ({ rows, total: total + 1 }))
      }))
  },
  {
    fault: "yields a value twice",
    law: "base branches are those with an event in the half-open window, in code-point order",
    change: (driver) =>
      withViews(driver, ({ distinct }) => ({
        distinct: (...what) => Effect.map(distinct(...what), (values) => [...values, ...values])
      }))
  },
  {
    fault: "finds no row of other repositories",
    law: "events after the subscription are delivered one at a time, and those that are given up are kept",
    change: (driver) => ({ ...driver, scan: () => Effect.succeed([]) })
  },
  {
    fault: "runs transactions of one repository at the same time",
    law: "concurrent automations stay within their common budget",
    change: unserialised
  },
  {
    fault: "runs transactions of the whole store at the same time",
    law: "concurrent revocations of all admin keys of the whole store leave one of them in force",
    change: unserialised
  },
  {
    fault: "orders pages by the first field alone",
    law: "pages of any size follow one another, newest first, then by id",
    change: (driver) =>
      withViews(driver, ({ page }) => ({
        page: (table, query) =>
          page(table, {
            ...query,
            order: query.order.slice(0, 1),
            ...(query.after === undefined ? {} : { after: query.after.slice(0, 1) })
          })
      }))
  },
  {
    fault: "removes no row of the whole store",
    law: "a session is found by its hash, with every field, until it is removed",
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) =>
        driver.transact(operation, scope, at, (transaction) =>
          body(
            scope === null ? { ...transaction, remove: (table, where) => transaction.count(table, where) } : transaction
          )
        )
    })
  },
  {
    fault: "finds any value where null is asked for",
    law: "a role belongs to the first person with its login that claims it, and to nobody else",
    change: (driver) =>
      withTransactions(driver, ({ select }) => ({
        select: (table, query) =>
          select(table, { ...query, where: query.where.filter(([, , value]) => value !== null) })
      }))
  },
  {
    fault: "tells repositories apart by the case of their names",
    law: "owner and name match in any case in every port, and are shown as first written",
    change: (driver) =>
      withScopes(driver, ({ owner, repository }) => ({
        owner: Buffer.from(owner).toString("hex"),
        repository
      }))
  },
  {
    fault: "keeps all repositories in one place",
    law: "two repositories never see each other",
    change: (driver) => withScopes(driver, () => ({ owner: "one", repository: "place" }))
  },
  {
    fault: "creates a repository although the transaction fails",
    law: "text with NUL or half a character is refused wherever a quarantine may hold it",
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) =>
        Effect.andThen(
          driver.transact(operation, scope, at, () => Effect.void),
          driver.transact(operation, scope, at, body)
        )
    })
  },
  {
    fault: "creates a repository that is only read",
    law: "reading makes no repository",
    change: (driver) => ({
      ...driver,
      read: (operation, scope, body) => driver.transact(operation, scope, scope === null ? null : 0, body)
    })
  },
  {
    fault: "keeps the settings as they were",
    law: "settings are kept as they were set, and creation is that of the first write",
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at) => driver.configure(operation, ref, at, Effect.succeed)
    })
  },
  {
    fault: "changes the default settings and not those that hold",
    law: "concurrent changes all hold",
    change: (driver) => {
      let first: Repository.RepositorySettings | null = null
      return {
        ...driver,
        configure: (operation, ref, at, decide) =>
          driver.configure(operation, ref, at, (held) => {
            first ??= held
            return decide(first)
          })
      }
    }
  },
  {
    fault: "never says that no default branch is known",
    law: "the outcome of an append says when no default branch is known",
    change: (driver) =>
      withOutcomes(driver, (outcome) =>
        outcome._tag === "Recorded" ? { _tag: outcome._tag, reportId: outcome.reportId } : outcome
      )
  },
  {
    fault: "records a report again under another key",
    law: "the same content of the same job run under another key is a duplicate of the first",
    change: (driver) => {
      let uploads = 0
      return withReports(driver, (report) => ({ ...report, digest: `${report.digest} ${uploads++}` }))
    }
  },
  {
    fault: "says that a duplicate was recorded",
    law: "the same report again is a duplicate with the id of the first, and changes nothing",
    change: (driver) =>
      withOutcomes(driver, (outcome) => (outcome._tag === "Duplicate" ? { ...outcome, _tag: "Recorded" } : outcome))
  },
  {
    fault: "drops the last execution of a report",
    law: "a test that a report names twice has two executions",
    change: (driver) =>
      withReports(driver, (report) => ({
        ...report,
        executions: report.executions.slice(0, Math.max(1, report.executions.length - 1))
      }))
  },
  {
    fault: "takes every branch for the default branch",
    law: "main counts, and runs without a branch; pull requests, queues and other branches do not",
    change: (driver) =>
      withReports(driver, (report) => ({ ...report, run: { ...report.run, branch: null, baseBranch: null } }))
  },
  {
    fault: "takes all jobs for one",
    law: "the same content of another pipeline, job, run or attempt is another report",
    change: (driver) => withReports(driver, (report) => ({ ...report, run: { ...report.run, jobName: "unit" } }))
  },
  {
    fault: "takes every attempt for the first",
    law: "runs that differ in run id, attempt, commit or branch are not one run",
    change: (driver) => withReports(driver, (report) => ({ ...report, run: { ...report.run, runAttempt: 1 } }))
  },
  {
    fault: "rounds instants to seconds",
    law: "instants survive to the millisecond, on both sides of midnight and of a leap day",
    change: (driver) => withExecutions(driver, ({ at }) => ({ at: Math.floor(at / Instant.second) * Instant.second }))
  },
  {
    fault: "drops that an execution was flaky",
    law: "a failure that a pass contradicts is flaky, also when the pass lies outside the window",
    change: (driver) => withExecutions(driver, () => ({ flaky: false }))
  },
  {
    fault: "drops reruns",
    law: "confidence counts the reruns since the verdict last moved: low below 10, medium below 30, then high",
    change: (driver) => withExecutions(driver, () => ({ reruns: 0 }))
  },
  {
    fault: "takes skipped executions for passed ones",
    law: "only the failed executions of an outage are excused",
    change: (driver) =>
      withExecutions(driver, ({ conclusion }) => ({ conclusion: conclusion === "skipped" ? "passed" : conclusion }))
  },
  {
    fault: "folds the case of test names",
    law: "names that look alike are different tests",
    change: (driver) => withExecutions(driver, ({ testName }) => ({ testName: testName.toLowerCase() }))
  },
  {
    fault: "cuts stack traces",
    law: "messages and stack traces are kept as they are, long ones and line breaks too",
    change: (driver) =>
      withExecutions(driver, ({ exception }) => ({
        exception: exception === null ? null : { ...exception, stacktrace: null }
      }))
  },
  {
    fault: "keeps the exceptions of failed executions only",
    law: "a flaky pass belongs to the group of its failed attempt, which shows its message and its stack trace",
    change: (driver) =>
      withExecutions(driver, ({ conclusion, exception }) => ({ exception: conclusion === "failed" ? exception : null }))
  },
  {
    fault: "counts the end of a window as part of it",
    law: "a window holds its first millisecond and not the one after its last",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        counts: (ref, testId, { end, start }) => driver.executions.counts(ref, testId, { start, end: end + 1 })
      }
    })
  },
  {
    fault: "leaves out the start of a window",
    law: "the executions of several tests are told apart, also those of one job, and only those in the window are there",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        within: (ref, testIds, { end, start }) => driver.executions.within(ref, testIds, { start: start + 1, end })
      }
    })
  },
  {
    fault: "knows every test",
    law: "a test that ran on other branches only is unknown to every question",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        changes: (ref, testId) =>
          Effect.map(driver.executions.changes(ref, testId), (found) => Option.orElse(found, () => Option.some([])))
      }
    })
  },
  {
    fault: "searches without its filter",
    law: "a pattern is case-sensitive, matches the whole name, and has two wildcards",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, page: (ref, query) => driver.tests.page(ref, { ...query, filter: TestFilter.all }) }
    })
  },
  {
    fault: "sorts in one direction only",
    law: "names are in code-point order: cases, digits, underscores, accents and astral characters",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, page: (ref, query) => driver.tests.page(ref, { ...query, direction: "asc" }) }
    })
  },
  {
    fault: "counts tests whatever their status",
    law: "a count has the identities of a status, and their failures per UTC day, today last",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, count: (ref, query) => driver.tests.count(ref, { ...query, status: null }) }
    })
  },
  {
    fault: "answers for yesterday",
    law: "the identities of a test are in the order of identities, each with what is its own",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, get: (ref, testId, now) => driver.tests.get(ref, testId, now - Instant.day) }
    })
  },
  {
    fault: "keeps the rows about a removed test",
    law: "of a removed test nothing is left, and other tests keep everything",
    change: (driver) => ({
      ...driver,
      forget: (operation, ref, testId) => driver.forget(operation, ref, testId, () => Effect.succeed(0))
    })
  },
  {
    fault: "keeps the executions of a removed test",
    law: "a report that names a removed test makes it new; one that was stored does not",
    change: (driver) => ({
      ...driver,
      forget: (operation, ref, _, body) =>
        Effect.map(driver.transact(operation, ref, null, body), (removed) => removed > 0)
    })
  },
  {
    fault: "lists the tests of every file",
    law: "the list knows the file that the reports of a test name, and finds tests by it",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, list: (ref, query, now) => driver.tests.list(ref, { ...query, files: null }, now) }
    })
  },
  {
    fault: "counts no quarantined test of a file",
    law: "a file counts its tests by health, and those in quarantine",
    change: (driver) => ({
      ...driver,
      tests: { ...driver.tests, files: (ref, _, now) => driver.tests.files(ref, new Set(), now) }
    })
  },
  {
    fault: "lists failures in the order of their ids",
    law: "groups that failed last come first, and those of one instant are in the order of their ids",
    change: (driver) => ({
      ...driver,
      failures: {
        ...driver.failures,
        list: (ref, testId) =>
          Effect.map(
            driver.failures.list(ref, testId),
            Option.map((groups) => groups.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
          )
      }
    })
  },
  {
    fault: "does not know the reruns of a failure",
    law: "executions on the same commit are reruns in the same job and siblings in others",
    change: (driver) => withFacts(driver, () => ({ reruns: [] }))
  },
  {
    fault: "compares a pull request with later runs of the base",
    law: "a row of failures on the base has the signature of the last one, whatever came later",
    change: (driver) =>
      withFacts(driver, ({ rows }) => ({
        rows: rows.map((row) => ({ ...row, conclusion: "passed", signature: null }))
      }))
  },
  {
    fault: "sees the failures of one branch only",
    law: "the same message and the same failing tests are found on other branches",
    change: (driver) => withFacts(driver, () => ({ elsewhere: [], sightings: [] }))
  },
  {
    fault: "takes the branch of a fork for one of the repository",
    law: "a fork's failure does not replace the failures of other branches, nor choose commits and bases",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, branch: run.branch?.replace(":", "-") ?? null }
      }))
  },
  {
    fault: "lets the failures of forks fill the list",
    law: "however often a fork fails, it hides nothing that others reported",
    change: (driver) => withFacts(driver, ({ test }) => ({ test: { ...test, flakes: [] } }))
  },
  {
    fault: "takes the attempts of a run for runs of their own",
    law: "failing and passing in one run of another branch makes a test flaky that has failed on the default branch",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, runId: `${run.runId} ${run.runAttempt}` }
      }))
  },
  {
    fault: "takes the runs of a branch for one run",
    law: "other run ids, commits and branches, skipped executions and forks contradict nothing",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, runId: run.branch === "topic" ? "1" : run.runId }
      }))
  },
  {
    fault: "does not know what contradicts itself on other branches",
    law: "a contradiction is named with its branch, its run and the execution that completed it",
    change: (driver) => ({
      ...driver,
      executions: {
        ...driver.executions,
        history: (ref, testId) =>
          Effect.map(
            driver.executions.history(ref, testId),
            Option.map((list) => list.map((each) => ({ ...each, contradictions: [] })))
          )
      }
    })
  },
  {
    fault: "counts the contradictions of other branches whatever is set",
    law: "a setting leaves other branches out, for the whole history at once, and so does its end",
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        driver.configure(operation, ref, at, (held) =>
          Effect.map(decide(held), (settings) => ({ ...settings, flakinessEvidence: "every_branch" as const }))
        )
    })
  },
  {
    fault: "removes no repository",
    law: "of a removed repository nothing is left, and its reports are new again",
    change: (driver) => ({ ...driver, erase: () => Effect.succeed(true) })
  },
  {
    fault: "loses the uploads that come during a removal",
    law: "a write during a removal is removed with the repository, or creates a new one",
    change: (driver) => {
      let isRemoving = false
      const mark = (value: boolean) => Effect.sync(() => (isRemoving = value))
      return {
        ...driver,
        executions: {
          ...driver.executions,
          append: (ref, report) =>
            Effect.suspend(() =>
              isRemoving
                ? Effect.succeed({ _tag: "Duplicate", reportId: report.id } as const)
                : driver.executions.append(ref, report)
            )
        },
        erase: (operation, ref) =>
          Effect.andThen(
            mark(true),
            Effect.ensuring(
              Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 9 }), driver.erase(operation, ref)),
              mark(false)
            )
          )
      }
    }
  },
  {
    fault: "keeps its version when rows are written",
    law: "every write gives the repository a version that it never had, and no read does",
    change: (driver) => {
      let reports = 0
      const append: Engine["executions"]["append"] = (ref, report) =>
        Effect.suspend(() => ((reports += 1), driver.executions.append(ref, report)))
      return {
        ...driver,
        version: (operation, ref) =>
          Effect.map(
            driver.version(operation, ref),
            Option.map(() => `${reports}`)
          ),
        executions: { ...driver.executions, append }
      }
    }
  },
  {
    fault: "has one version for all time",
    law: "every write gives the repository a version that it never had, and no read does",
    change: (driver) => ({ ...driver, version: () => Effect.succeed(Option.some("1")) })
  },
  {
    fault: "drops nothing",
    law: "what finished before the horizon is not taken any more, and changes nothing",
    change: (driver) => ({
      ...driver,
      retention: { ...driver.retention, drop: () => Effect.succeed({ reports: 0, identities: 0 }) }
    })
  },
  {
    fault: "drops a week too much",
    law: "a horizon is the start of a week, exact to the millisecond",
    change: (driver) => ({
      ...driver,
      retention: { ...driver.retention, drop: (ref, horizon) => driver.retention.drop(ref, horizon + Retention.week) }
    })
  },
  {
    fault: "finds a difference that does not exist",
    law: "verify finds nothing after any commands, and a refold changes no answer",
    change: (driver) => ({
      ...driver,
      upkeep: { ...driver.upkeep, verify: () => Effect.succeed([{ kind: "health", place: "nowhere" }]) }
    })
  },
  {
    fault: "computes nothing again",
    law: "nothing is known of a repository for which nothing was ever written",
    change: (driver) => ({ ...driver, upkeep: { ...driver.upkeep, refold: () => Effect.succeed(true) } })
  },
  {
    fault: "takes everything for outdated",
    law: "what this version has computed is not outdated",
    change: (driver) => {
      const refs: Array<Repository.RepositoryRef> = []
      const append: Engine["executions"]["append"] = (ref, report) =>
        Effect.suspend(() => (refs.push(ref), driver.executions.append(ref, report)))
      return {
        ...driver,
        executions: { ...driver.executions, append },
        upkeep: { ...driver.upkeep, outdated: Effect.sync(() => refs) }
      }
    }
  }
]
