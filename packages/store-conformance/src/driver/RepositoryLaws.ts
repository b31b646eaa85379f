/** The law of scopes: repositories, the whole store, their settings, versions and removal. */
import { type Driver, Rows } from "@lazaret/store"
import { Repository, TestId } from "@lazaret/domain"
import { Effect, Exit, Option } from "effect"
import type { Case } from "../law/Case.ts"
import { Law, Sample } from "../law/index.ts"
import { type Engine, event, log, make, put, quarantine, read, reasons, select } from "./DriverCase.ts"

const upper = (ref: Repository.RepositoryRef): Repository.RepositoryRef => ({
  owner: ref.owner.toUpperCase(),
  repository: ref.repository.toUpperCase()
})

const second = (ref: Repository.RepositoryRef): Repository.RepositoryRef => ({
  ...ref,
  repository: `${ref.repository}-2`
})

const named = (ref: Repository.RepositoryRef) => ({ owner: ref.owner, repository: ref.repository })

/** The row of a repository, without its settings. */
const rowOf = (driver: Engine, ref: Repository.RepositoryRef) =>
  Effect.map(select(driver, null, Rows.repositories, { where: [["key", "=", Repository.key(ref)]] }), (rows) =>
    rows.map(({ createdAt, owner, repository }) => ({ createdAt, owner, repository }))
  )

const versionOf = (driver: Engine, ref: Repository.RepositoryRef) =>
  Effect.map(driver.version("Law.version", ref), Option.getOrNull)

/** The cases of scopes. */
export const cases: ReadonlyArray<Case<Driver>> = [
  make("rows of one repository are not those of another, nor of the whole store", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(1, { reason: "here" })])
      yield* put(driver, second(ref), Rows.quarantines, [quarantine(1, { reason: "there" })])
      yield* Law.equal(yield* reasons(driver, ref), ["here"])
      yield* driver.transact("Law.remove", ref, null, (transaction) => transaction.remove(Rows.quarantines, []))
      yield* Law.equal(yield* reasons(driver, second(ref)), ["there"])
      const counted = yield* read(driver, ref, (view) => view.count(Rows.quarantines, []))
      yield* Law.equal(counted, 0)
    })
  ),

  make("owner and name match in any case, and stay as they were first written, with their instant", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(1)])
      yield* driver.transact("Law.put", upper(ref), Sample.noon + 1, (transaction) =>
        transaction.put(Rows.quarantines, [quarantine(2)])
      )
      yield* Law.equal((yield* reasons(driver, ref)).length, 2)
      yield* Law.equal((yield* reasons(driver, upper(ref))).length, 2)
      yield* Law.equal(yield* rowOf(driver, ref), [{ ...named(ref), createdAt: Sample.noon }])
    })
  ),

  make("a repository that does not exist has no rows and no log, and reading does not create it", (driver, ref) =>
    Effect.gen(function* () {
      const questions = [driver.read, driver.snapshot]
      for (const ask of questions) {
        const found = yield* ask("Law.absent", ref, (view) =>
          Effect.all([
            view.select(Rows.quarantines, { where: [], order: [] }),
            view.page(Rows.quarantines, { where: [], order: [], limit: 1 }),
            view.count(Rows.quarantines, []),
            view.distinct(Rows.quarantines, "branch", []),
            view.head
          ])
        )
        yield* Law.equal(found, [[], { rows: [], total: 0 }, 0, [], 0])
      }
      yield* Law.equal([yield* versionOf(driver, ref), yield* rowOf(driver, ref)], [null, []])
    })
  ),

  make("without an instant, a transaction of a repository that does not exist writes nothing", (driver, ref) =>
    Effect.gen(function* () {
      const { a } = yield* Sample.ids("a")
      const answer = yield* driver.transact("Law.absent", ref, null, (transaction) =>
        Effect.gen(function* () {
          yield* transaction.put(Rows.quarantines, [quarantine(1)])
          const logged = yield* transaction.log([event(a)])
          return [
            yield* transaction.count(Rows.quarantines, []),
            yield* transaction.remove(Rows.quarantines, []),
            logged
          ]
        })
      )
      yield* Law.equal(answer, [0, 0, 0])
      yield* Law.equal([yield* versionOf(driver, ref), yield* rowOf(driver, ref)], [null, []])
    })
  ),

  make("a scan finds the rows of all repositories that meet the conditions, each with its repository", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(1, { reason: "a" }), quarantine(2, { reason: "b" })])
      yield* put(driver, second(ref), Rows.quarantines, [quarantine(3, { reason: "c" })])
      const scan = (...where: Parameters<typeof driver.scan<Rows.QuarantineRow>>[2]) =>
        Effect.map(driver.scan("Law.scan", Rows.quarantines, where), (found) =>
          found
            .filter((each) => each.ref.owner === ref.owner)
            .map((each) => [each.row, named(each.ref)] as const)
            .toSorted(([one], [other]) => one.record - other.record)
        )
      const rows = [quarantine(1, { reason: "a" }), quarantine(2, { reason: "b" }), quarantine(3, { reason: "c" })]
      const refs = [named(ref), named(ref), named(second(ref))]
      yield* Law.equal(
        yield* scan(),
        rows.map((row, index) => [row, refs[index] ?? named(ref)] as const)
      )
      yield* Law.equal(
        (yield* scan(["reason", ">=", "b"])).map(([{ reason }]) => reason),
        ["b", "c"]
      )
    })
  ),

  make("settings are decided from those that hold; concurrent changes all hold", (driver, ref) =>
    Effect.gen(function* () {
      const keys = ["cleanPasses", "cleanDays", "episodeDays", "activeDays"] as const
      const change = (key: (typeof keys)[number]) =>
        driver.configure("Law.configure", ref, Sample.noon, (held) =>
          Effect.succeed({ ...held, health: { ...held.health, [key]: 3 } })
        )
      yield* Effect.forEach(keys, change, { concurrency: keys.length, discard: true })
      const health = { cleanPasses: 3, cleanDays: 3, episodeDays: 3, activeDays: 3 }
      const settings = { ...Repository.defaultSettings, health }
      const last = yield* driver.configure("Law.configure", upper(ref), Sample.noon + 1, Effect.succeed)
      yield* Law.equal(last, { ...named(ref), createdAt: Sample.noon, settings })
      const [row] = yield* select(driver, null, Rows.repositories, { where: [["key", "=", Repository.key(ref)]] })
      yield* Law.equal(row?.settings, settings)
    })
  ),

  make("settings whose decision fails stay as they were, and create no repository", (driver, ref) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(driver.configure("Law.configure", ref, Sample.noon, () => Effect.die("no")))
      yield* Law.equal(Exit.isFailure(exit), true)
      yield* Law.equal(yield* rowOf(driver, ref), [])
    })
  ),

  make("of a removed repository nothing is left, its log begins again, and others stay", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      yield* Law.equal(yield* driver.erase("Law.erase", ref), false)
      for (const each of [ref, second(ref)]) {
        yield* put(driver, each, Rows.quarantines, [quarantine(1)])
        yield* put(driver, each, Rows.pauses, [{ reason: "release", pausedAt: 1 }])
        yield* driver.transact("Law.log", each, null, (transaction) => transaction.log([event(a)]))
      }
      yield* Law.equal(yield* driver.erase("Law.erase", upper(ref)), true)
      yield* Law.equal(yield* driver.erase("Law.erase", ref), false, "the second removal")
      yield* Law.equal([yield* versionOf(driver, ref), yield* rowOf(driver, ref)], [null, []])
      yield* driver.transact("Law.log", ref, Sample.noon + 1, (transaction) => transaction.log([event(b)]))
      yield* Law.equal(yield* log(driver, ref), [[b, 1]])
      yield* Law.equal([yield* reasons(driver, ref), yield* select(driver, ref, Rows.pauses)], [[], []])
      yield* Law.equal(yield* log(driver, second(ref)), [[a, 1]])
      yield* Law.equal((yield* reasons(driver, second(ref))).length, 1)
    })
  ),

  make("a transaction that waits for a removal creates a new repository, or writes nothing", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(0, { reason: "old" })])
      const write = (index: number) =>
        Effect.andThen(
          Effect.repeat(Effect.yieldNow, { times: index }),
          driver.transact("Law.put", ref, index % 2 === 0 ? Sample.noon : null, (transaction) =>
            Effect.andThen(Effect.yieldNow, transaction.put(Rows.quarantines, [quarantine(index)]))
          )
        )
      const writes = Array.from({ length: 8 }, (_, index) => write(index + 1))
      yield* Effect.all([...writes, driver.erase("Law.erase", ref)], { concurrency: "unbounded", discard: true })
      const rows = yield* select(driver, ref, Rows.quarantines)
      yield* Law.equal(
        rows.some(({ reason }) => reason === "old"),
        false,
        "a removed row is found"
      )
      const exists = (yield* rowOf(driver, ref)).length === 1
      yield* Law.equal((yield* versionOf(driver, ref)) !== null, exists, "a version is that of a repository")
      if (!exists) yield* Law.equal(rows, [])
    })
  ),

  make(
    "every transaction that writes gives a repository a version that it never had, and no read does",
    (driver, ref) =>
      Effect.gen(function* () {
        const { a } = yield* Sample.ids("a")
        yield* Law.equal(yield* versionOf(driver, ref), null)
        const writes = [
          put(driver, ref, Rows.quarantines, [quarantine(1)]),
          put(driver, ref, Rows.quarantines, [quarantine(1, { reason: "changed" })]),
          driver.transact("Law.remove", ref, null, (transaction) => transaction.remove(Rows.quarantines, [])),
          driver.transact("Law.log", ref, null, (transaction) => transaction.log([event(a)])),
          driver.configure("Law.configure", ref, Sample.noon, (held) => Effect.succeed({ ...held, badge: true })),
          Effect.andThen(driver.erase("Law.erase", ref), put(driver, ref, Rows.quarantines, [quarantine(1)]))
        ]
        const known = new Set<string | null>([null])
        for (const [index, write] of writes.entries()) {
          yield* write
          const version = yield* versionOf(driver, ref)
          yield* Law.equal(known.has(version), false, `the version after write ${index} was known`)
          known.add(version)
          yield* select(driver, ref, Rows.quarantines)
          yield* driver.snapshot("Law.read", ref, (view) => view.count(Rows.quarantines, []))
          yield* Law.equal(yield* versionOf(driver, ref), version, `the version after reading, write ${index}`)
        }
      })
  ),

  make("forgetting a test removes the rows of its body, and yields whether anything was removed", (driver, ref) =>
    Effect.gen(function* () {
      const testId = TestId.of("test 1")
      const forget = driver.forget("Law.forget", ref, testId, (transaction) =>
        transaction.remove(Rows.quarantines, [["testId", "=", testId]])
      )
      yield* Law.equal(yield* forget, false, "of a repository that does not exist")
      yield* put(driver, ref, Rows.quarantines, [quarantine(1), quarantine(2, { reason: "other" })])
      yield* Law.equal(yield* forget, true)
      yield* Law.equal(yield* forget, false, "the second time")
      yield* Law.equal(yield* reasons(driver, ref), ["other"])
    })
  ),

  make(
    "a regrouping writes its rows or none of them, and creates the repository where it has an instant",
    (driver, ref) =>
      Effect.gen(function* () {
        const regroup = (at: number | null, record: number) =>
          driver.regroup("Law.regroup", ref, at, (transaction) =>
            Effect.andThen(
              transaction.put(Rows.quarantines, [quarantine(record)]),
              record === 3 ? Effect.die("the body gives up") : Effect.succeed(record)
            )
          )
        yield* Law.equal(yield* regroup(null, 1), 1)
        yield* Law.equal(yield* rowOf(driver, ref), [])
        yield* Law.equal(yield* regroup(Sample.noon, 2), 2)
        yield* Effect.exit(regroup(null, 3))
        yield* Law.equal(
          (yield* select(driver, ref, Rows.quarantines)).map(({ record }) => record),
          [2]
        )
        yield* Law.equal(yield* rowOf(driver, ref), [{ ...named(ref), createdAt: Sample.noon }])
      })
  )
]
