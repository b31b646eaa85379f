/** Drivers that break what is promised of rows, transactions and repositories. */
import { Instant, type Repository } from "@lazaret/domain"
import { absent, type View } from "@lazaret/store"
import { Effect, Option } from "effect"
import { type Broken, type Engine, unserialised, withViews, withTransactions, withScopes } from "./Broken.ts"

/** Finds rows also when a field is above the most that is asked for. */
const unlimited = ({ count, select }: View): Pick<View, "count" | "select"> => ({
  count: (table, where) =>
    count(
      table,
      where.filter(([, operator]) => operator !== "<=")
    ),
  select: (table, query) => select(table, { ...query, where: query.where.filter(([, operator]) => operator !== "<=") })
})

/** Drivers that break what is promised of rows, transactions and repositories. */
export const ofRows: ReadonlyArray<Broken> = [
  {
    fault: "does not find what is null",
    law: "a verdict is removed 90 days after its failure, and a year after it when its outcome is known",
    change: (driver) =>
      withTransactions(driver, ({ remove }) => ({
        remove: (table, where) =>
          where.some(([, , value]) => value === null) ? Effect.succeed(0) : remove(table, where)
      }))
  },
  {
    fault: "keeps a row as it was first written",
    law: "the outcome of a verdict is that of the last resolution, and is found by commit",
    change: (driver) =>
      withTransactions(driver, ({ put, select }) => ({
        put: (table, rows) =>
          Effect.flatMap(select(table, { where: [], order: [] }), ({ length }) =>
            length > 0 && table.name === "first_verdicts" ? Effect.void : put(table, rows)
          )
      }))
  },
  {
    fault: "looks for the first of several values alone",
    law: "verdicts with an outcome or a mark are listed, the latest failures first",
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) =>
          select(table, {
            ...query,
            where: query.where.map((one) => (one[1] === "in" ? [one[0], "in", one[2].slice(0, 1)] : one))
          })
      }))
  },
  {
    fault: "writes aliases and leaves executions where they are",
    law: "aliases answer as if every report had had the names that stand for its own",
    change: (driver) => ({ ...driver, regroup: driver.transact })
  },
  {
    fault: "keeps what an alias has led to after it was revoked",
    law: "revoked aliases are as if they had never been made",
    change: (driver) => ({
      ...driver,
      regroup: (operation, ref, at, body) =>
        (operation === "TestAliasStore.revoke" ? driver.transact : driver.regroup)(operation, ref, at, body)
    })
  },
  {
    fault: "creates the repository of every write",
    law: "the latest upload of a job is kept, in a repository that exists",
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) => driver.transact(operation, scope, at ?? Instant.day, body)
    })
  },
  {
    fault: "refuses what is written to a repository that does not exist",
    law: "a repository that does not exist has no verdict and no suspension, and is not created by one",
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) =>
        Effect.flatMap(driver.version(operation, scope ?? { owner: "none", repository: "none" }), (version) =>
          scope !== null && at === null && Option.isNone(version)
            ? body({ ...absent, put: () => Effect.die("there is no such repository") })
            : driver.transact(operation, scope, at, body)
        )
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
    fault: "loses the events of a record",
    law: "issues are compared by one process at a time, and records count only under its lease",
    change: (driver) => withTransactions(driver, () => ({ log: () => Effect.succeed(0) }))
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
    fault: "runs the changes of one repository at the same time",
    law: "concurrent changes of different terms of a life all hold, and other terms stay",
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
    fault: "selects in ascending order where the descending one is asked for",
    law: "a code takes the place of old ones, and of the oldest of its key beyond the limit",
    change: (driver) =>
      withTransactions(driver, ({ select }) => ({
        select: (table, { isDescending: _descending, ...query }) => select(table, query)
      }))
  },
  {
    fault: "leases what is leased already, in the rows of the whole store",
    law: "a message about several repositories that was begun keeps its places for every later lease, until it is sent",
    change: (driver) => ({
      ...driver,
      read: (operation, scope, body) =>
        driver.read(operation, scope, (view) => body(scope === null ? { ...view, ...unlimited(view) } : view)),
      transact: (operation, scope, at, body) =>
        driver.transact(operation, scope, at, (transaction) =>
          body(scope === null ? { ...transaction, ...unlimited(transaction) } : transaction)
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
    fault: "keeps the executions of a removed test",
    law: "a report that names a removed test makes it new; one that was stored does not",
    change: (driver) => ({
      ...driver,
      forget: (operation, ref, _, body) =>
        Effect.map(driver.transact(operation, ref, null, body), (removed) => removed > 0)
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
  }
]
