/** Drivers that break what is promised of transactions and repositories, with the laws that they must turn red. */
import { Repository } from "@lazaret/domain"
import { Rows } from "@lazaret/store"
import { Effect, Option } from "effect"
import { unserialised, withScopes, withTransactions, withViews } from "./Broken.ts"
import { apart, type BrokenDriver, reading, withReads } from "./Faults.ts"

/** Drivers that break what is promised of transactions and of the log. */
export const ofTransactions: ReadonlyArray<BrokenDriver> = [
  {
    fault: "writes at the end of the body, after others may have read the same",
    laws: [
      "a transaction reads what it has written, removed and logged",
      "concurrent transactions of a repository run one after another, also those that create it",
      "concurrent transactions of the whole store run one after another"
    ],
    change: unserialised
  },
  {
    fault: "keeps the writes of a body that fails",
    laws: [
      "a body that fails leaves rows and log as they were",
      "a body that fails creates no repository",
      "a body that fails leaves the rows of the whole store as they were"
    ],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) => body(apart(driver, operation, scope, at))
    })
  },
  {
    fault: "reads each answer of a snapshot at a moment of its own",
    laws: ["a snapshot sees one moment, whatever is written meanwhile"],
    change: (driver) => ({
      ...driver,
      snapshot: (operation, scope, body) => body(reading(driver, operation, scope))
    })
  },
  {
    fault: "fails after a body that succeeds",
    laws: ["the answer of a read, a snapshot and a transaction is that of its body"],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) =>
        driver.transact(operation, scope, at, (transaction) =>
          Effect.andThen(body(transaction), Effect.die("the answer is lost"))
        )
    })
  },
  {
    fault: "turns the order of events round",
    laws: ["events get the next positions in the order given, and come back as they were logged"],
    change: (driver) => withTransactions(driver, ({ log }) => ({ log: (events) => log(events.toReversed()) }))
  },
  {
    fault: "counts events that are in the log already",
    laws: ["an event whose id is in the log is left out, and not counted"],
    change: (driver) =>
      withTransactions(driver, ({ log }) => ({ log: (events) => Effect.as(log(events), events.length) }))
  },
  {
    fault: "takes the last event that is there for the newest one ever logged",
    laws: ["the head is the position of the newest event ever logged, and no position is used twice"],
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        head: Effect.map(
          select(Rows.events, { where: [], order: ["position"], isDescending: true, limit: 1 }),
          ([row]) => row?.position ?? 0
        )
      }))
  },
  {
    fault: "has one log for all repositories",
    laws: ["each repository has a log of its own, in which any id may be"],
    change: (driver) => withScopes(driver, ({ owner }) => ({ owner, repository: "log" }))
  },
  {
    fault: "shows an event before the one that precedes it",
    laws: ["an event becomes readable after every event with a lower position"],
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) => {
          const found = select(table, query)
          return table.name === Rows.events.name
            ? Effect.map(found, (rows) => rows.filter((_, index) => index !== rows.length - 2))
            : found
        }
      }))
  }
]

/** Drivers that break what is promised of repositories. */
export const ofRepositories: ReadonlyArray<BrokenDriver> = [
  {
    fault: "keeps all repositories in one place",
    laws: [
      "rows of one repository are not those of another, nor of the whole store",
      "a table without a key has one row for each repository"
    ],
    change: (driver) => withScopes(driver, ({ owner }) => ({ owner, repository: "place" }))
  },
  {
    fault: "separates repositories by the case of their names",
    laws: ["owner and name match in any case, and stay as they were first written, with their instant"],
    change: (driver) =>
      withScopes(driver, ({ owner, repository }) => ({ owner: Buffer.from(owner).toString("hex"), repository }))
  },
  {
    fault: "creates a repository that is only read",
    laws: ["a repository that does not exist has no rows and no log, and reading does not create it"],
    change: (driver) => ({
      ...driver,
      read: (operation, scope, body) => driver.transact(operation, scope, scope === null ? null : 0, body)
    })
  },
  {
    fault: "creates the repository of every write",
    laws: [
      "without an instant, a transaction of a repository that does not exist writes nothing",
      "a regrouping writes its rows or none of them, and creates the repository where it has an instant"
    ],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) => driver.transact(operation, scope, at ?? 0, body),
      regroup: (operation, ref, at, body) => driver.regroup(operation, ref, at ?? 0, body)
    })
  },
  {
    fault: "finds no row of other repositories",
    laws: ["a scan finds the rows of all repositories that meet the conditions, each with its repository"],
    change: (driver) => ({ ...driver, scan: () => Effect.succeed([]) })
  },
  {
    fault: "decides settings from the defaults",
    laws: ["settings are decided from those that hold; concurrent changes all hold"],
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        driver.configure(operation, ref, at, () => decide(Repository.defaultSettings))
    })
  },
  {
    fault: "creates the repository before settings are decided",
    laws: ["settings whose decision fails stay as they were, and create no repository"],
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        Effect.andThen(
          driver.transact(operation, ref, at, () => Effect.void),
          driver.configure(operation, ref, at, decide)
        )
    })
  },
  {
    fault: "removes no repository",
    laws: ["of a removed repository nothing is left, its log begins again, and others stay"],
    change: (driver) => ({ ...driver, erase: () => Effect.succeed(true) })
  },
  {
    fault: "removes a repository and brings its rows back",
    laws: ["a transaction that waits for a removal creates a new repository, or writes nothing"],
    change: (driver) => ({
      ...driver,
      erase: (operation, ref) =>
        Effect.gen(function* () {
          const query = { where: [], order: [] }
          const rows = yield* driver.read(operation, ref, (view) => view.select(Rows.quarantines, query))
          const isErased = yield* driver.erase(operation, ref)
          yield* driver.transact(operation, ref, 0, (transaction) => transaction.put(Rows.quarantines, rows))
          return isErased
        })
    })
  },
  {
    fault: "has one version for all time",
    laws: ["every transaction that writes gives a repository a version that it never had, and no read does"],
    change: (driver) => ({ ...driver, version: () => Effect.succeed(Option.some("1")) })
  },
  {
    fault: "regroups in several transactions",
    laws: ["a regrouping writes its rows or none of them, and creates the repository where it has an instant"],
    change: (driver) => ({
      ...driver,
      regroup: (operation, ref, at, body) => body(apart(driver, operation, ref, at))
    })
  }
]
