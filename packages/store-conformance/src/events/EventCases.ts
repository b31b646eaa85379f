/** The law of events. */
import { Event, Instant, Page, type Report, type Repository, QuarantineEvents } from "@lazaret/domain"
import {
  EventStore,
  ExecutionStore,
  type LoggedEvent,
  QuarantineStore,
  QueueStore,
  RepositoryStore
} from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Walk } from "../law/index.ts"

const by = (minute: number) => ({ at: Sample.noon + minute, by: "key 1" })

const paused = (minute: number): Event.Event =>
  Event.paused({ reason: "release", pauseDate: Sample.noon }, Sample.noon + minute, "key 1")

const log = (ref: Repository.RepositoryRef) => EventStore.use((store) => store.after(ref, 0, 10_000))

const plain = ({ position: _position, ...event }: LoggedEvent): Event.Event => event

const upload = (ref: Repository.RepositoryRef, ...reports: ReadonlyArray<Report.Report>) =>
  Effect.forEach(reports, (report) => ExecutionStore.use((store) => store.append(ref, report)))

/** The entries of the log about verdicts: test, from, to, rule, commit. */
const moves = (ref: Repository.RepositoryRef) =>
  Effect.map(log(ref), (events) =>
    events.map(({ detail, testName }) => [testName, detail["from"], detail["to"], detail["rule"], detail["commit"]])
  )

const report = (
  key: string,
  minute: number,
  conclusion: "passed" | "failed",
  context: Partial<Report.RunContext> = {}
): Report.Report =>
  Sample.report(key, { commit: "c1", ...context }, [
    conclusion === "passed"
      ? { at: Sample.noon + minute * Instant.minute }
      : Sample.failure({ at: Sample.noon + minute * Instant.minute })
  ])

/** A run in which all of these tests failed. */
const failing = (key: string, minute: number, tests: ReadonlyArray<string>): Report.Report =>
  Sample.report(
    key,
    { commit: key },
    tests.map((testName) => Sample.failure({ testName, at: Sample.noon + minute * Instant.minute }))
  )

/** The cases of events. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "EventStore",
    "an event is kept as it was appended, once, whatever its id is appended with later",
    function* (ref) {
      const store = yield* EventStore
      const event: Event.Event = {
        ...paused(1),
        testName: "long \u{1f600} ".repeat(1000),
        detail: { a: [1, null, { b: "" }] }
      }
      yield* Law.equal(yield* store.append(ref, [event, paused(2), event], Sample.noon), 2)
      yield* Law.equal(yield* store.append(ref, [{ ...event, summary: "other" }, paused(3)], Sample.noon), 1)
      yield* Law.equal(yield* store.append(ref, [], Sample.noon), 0)
      yield* Law.equal((yield* log(ref)).map(plain), [event, paused(2), paused(3)])
    }
  ),

  Case.make("EventStore", "the same event is appended once when it arrives concurrently", function* (ref) {
    const append = EventStore.use((store) => store.append(ref, [paused(1), paused(2)], Sample.noon))
    const counts = yield* Effect.all([append, append, append], { concurrency: 3 })
    yield* Law.equal(
      counts.reduce((sum, count) => sum + count, 0),
      2
    )
    yield* Law.equal((yield* log(ref)).map(plain), [paused(1), paused(2)])
  }),

  Case.make(
    "EventStore",
    "reading on from the last position yields every event once, in order, also while some are appended",
    function* (ref) {
      const store = yield* EventStore
      yield* Effect.all(
        Array.from({ length: 12 }, (_, index) => store.append(ref, [paused(index)], Sample.noon)),
        { concurrency: 6 }
      )
      const read: Array<LoggedEvent> = []
      for (;;) {
        const some = yield* store.after(ref, read.at(-1)?.position ?? 0, 5)
        if (some.length === 0) break
        read.push(...some)
        if (read.length < 12) yield* store.append(ref, [paused(100 + read.length)], Sample.noon)
      }
      yield* Law.equal(new Set(read.map(({ id }) => id)).size, read.length)
      const positions = read.map(({ position }) => position)
      yield* Law.equal(
        positions,
        [...new Set(positions)].toSorted((a, b) => a - b)
      )
      yield* Law.equal(yield* store.head(ref), positions.at(-1) ?? 0)
      yield* Law.equal(read.length, 14)
    }
  ),

  Case.make(
    "EventStore",
    "pages of any size follow one another, newest first, of all events or of some types",
    function* (ref) {
      const store = yield* EventStore
      yield* QuarantineStore.use((quarantines) => quarantines.insert(ref, Sample.quarantine(crypto.randomUUID())))
      yield* store.append(ref, [paused(1), paused(2), paused(3), paused(4)], Sample.noon)
      for (const types of [null, ["queue.paused"], ["queue.paused", "quarantine.created"], []] as const) {
        const sorted = (yield* log(ref))
          .filter((event) => types?.some((type) => event.type === type) ?? true)
          .toReversed()
        for (const limit of [1, 2, 3, 9]) {
          const { back, forward } = yield* Walk.both(
            (from: Page.From<number>) => store.page(ref, { types, from, limit }),
            ({ position }) => position
          )
          yield* Law.equal(forward, Walk.pagesOf(sorted, limit), `the pages of ${limit}`)
          yield* Law.equal(back, Walk.pagesOf(sorted, limit), `the pages of ${limit} from the end`)
        }
      }
    }
  ),

  Case.make(
    "EventStore",
    "events before an instant are dropped, and their positions are not used again",
    function* (ref) {
      const store = yield* EventStore
      yield* Law.equal(yield* store.prune(ref, Sample.noon), 0)
      yield* store.append(ref, [paused(1), paused(2), paused(3)], Sample.noon)
      const head = yield* store.head(ref)
      yield* Law.equal(yield* store.prune(ref, Sample.noon + 3), 2)
      yield* Law.equal((yield* log(ref)).map(plain), [paused(3)])
      yield* store.prune(ref, Sample.noon + 9)
      yield* store.append(ref, [paused(4)], Sample.noon)
      const [event] = yield* log(ref)
      yield* Law.equal((event?.position ?? 0) > head, true)
    }
  ),

  Case.make("EventStore", "an event makes its repository, and is not in another one", function* (ref) {
    const store = yield* EventStore
    const other = yield* Case.repository
    yield* Law.equal([yield* store.head(ref), yield* log(ref)], [0, []])
    yield* store.append(ref, [paused(1)], Sample.noon + 7)
    const repository = yield* RepositoryStore.use((repositories) => repositories.get(ref))
    yield* Law.equal(
      Option.map(repository, ({ createdAt }) => createdAt),
      Option.some(Sample.noon + 7)
    )
    yield* store.append(other, [paused(1)], Sample.noon)
    yield* Law.equal([(yield* log(ref)).length, (yield* log(other)).length], [1, 1])
  }),

  Case.make(
    "EventStore",
    "a verdict that an upload changes is logged with what changed it; a repeated upload logs nothing",
    function* (ref) {
      const first = report("r1", 1, "passed")
      const second = Sample.report("r2", { commit: "c2", pullRequest: Sample.pull(7) }, [
        Sample.failure({ at: Sample.noon + Instant.minute * 2 })
      ])
      yield* upload(ref, first, second, second, report("r3", 3, "passed", { commit: "c2" }))
      const [broken, flaky, ...others] = (yield* log(ref)).map(plain)
      yield* Law.equal(others, [])
      yield* Law.equal(broken === undefined ? null : { ...broken, id: "", summary: "" }, {
        id: "",
        at: second.receivedAt,
        type: "test.health_changed",
        actor: "auto",
        testId: Sample.testId,
        testName: Sample.testName,
        branch: "main",
        summary: "",
        detail: {
          from: "healthy",
          to: "broken",
          rule: "failure",
          pipelineName: "CI",
          jobName: "unit",
          commit: "c2",
          ranAt: Instant.toIso(Sample.noon + Instant.minute * 2),
          pullRequest: { ...Sample.pull(7) }
        }
      })
      yield* Law.equal(
        [flaky?.detail["from"], flaky?.detail["to"], flaky?.detail["rule"]],
        ["broken", "flaky", "contradiction"]
      )
    }
  ),

  Case.make(
    "EventStore",
    "a late upload that changes the past logs what it changes, and no event is taken back",
    function* (ref) {
      yield* upload(ref, report("r1", 5, "failed", { commit: "c2" }), report("r0", 1, "passed", { commit: "c2" }))
      yield* Law.equal(yield* moves(ref), [
        [Sample.testName, "healthy", "broken", "failure", "c2"],
        [Sample.testName, "broken", "flaky", "contradiction", "c2"]
      ])
    }
  ),

  Case.make(
    "EventStore",
    "branches that are not the default one, and settings, log no changed verdict",
    function* (ref) {
      yield* upload(ref, report("r1", 1, "passed"), report("r2", 2, "failed", { branch: "topic" }))
      yield* upload(ref, report("r3", 3, "failed", { branch: "main", baseBranch: "main" }))
      yield* Law.equal(yield* moves(ref), [])
    }
  ),

  Case.make(
    "EventStore",
    "the verdicts of the first upload of a branch that becomes the default one are logged",
    function* (ref) {
      yield* upload(ref, report("r1", 1, "failed", { branch: "master" }))
      yield* Law.equal(yield* moves(ref), [[Sample.testName, "healthy", "broken", "failure", "c1"]])
    }
  ),

  Case.make("EventStore", "a job run that an upload shows to be an outage is logged once", function* (ref) {
    const suite = ["a", "b", "c", "d"]
    const passed = suite.map((testName) => ({ testName, at: Sample.noon }))
    const failed = suite.map((testName) => Sample.refused({ testName, at: Sample.noon + Instant.minute }))
    const run = { commit: "c2", runId: "812" }
    yield* upload(ref, Sample.report("good", { commit: "c1" }, passed))
    yield* upload(ref, Sample.report("bad", run, failed.slice(0, 3)), Sample.report("rest", run, failed.slice(3)))
    const found = (yield* log(ref)).filter(({ type }) => type === "job_run.outage")
    yield* Law.equal(
      found.map(({ branch, detail, summary }) => [branch, summary, detail["failed"], detail["excused"]]),
      [["main", "CI / unit, run 812: 3 of 4 tests failed that passed before.", 3, true]]
    )
  }),

  Case.make(
    "EventStore",
    "changed verdicts beyond the limit of single events are logged as one event",
    function* (ref) {
      const many = Array.from({ length: Event.mostMoves + 1 }, (_, index) => `test ${index}`)
      yield* upload(ref, failing("r1", 1, many))
      const [event, ...others] = yield* log(ref)
      yield* Law.equal(others, [])
      yield* Law.equal(
        [event?.type, event?.detail],
        [
          "tests.health_changed",
          { total: many.length, changes: [{ from: "healthy", to: "broken", tests: many.length }] }
        ]
      )
    }
  ),

  Case.make(
    "EventStore",
    "quarantines that begin and end are logged with their actor; a refused one is not logged",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b } = yield* Sample.ids("a", "b")
      const record = Sample.quarantine(a, { source: "auto" })
      const removal = { at: Sample.noon + 5, by: "key 2", evidence: { passes: 12 } }
      yield* store.insert(ref, record)
      yield* store.insert(ref, Sample.quarantine(b))
      yield* store.remove(ref, a, removal)
      yield* store.remove(ref, a, removal)
      yield* Law.equal((yield* log(ref)).map(plain), [
        QuarantineEvents.created(record),
        QuarantineEvents.removed(record, removal)
      ])
    }
  ),

  Case.make("EventStore", "a quarantine that the automation begins is logged with its evidence", function* (ref) {
    const { a } = yield* Sample.ids("a")
    const quarantine = Sample.quarantine(a, { source: "auto", createdBy: "auto" })
    const evidence = { executions: 20 }
    const limits = { since: Sample.noon - 1, most: 1, restSince: Sample.noon }
    yield* QuarantineStore.use((store) => store.insertAutomatic(ref, [{ evidence, quarantine }], limits))
    yield* Law.equal((yield* log(ref)).map(plain), [QuarantineEvents.created(quarantine, evidence)])
  }),

  Case.make(
    "EventStore",
    "a pause is logged when it begins, when its reason changes, and when it ends",
    function* (ref) {
      const store = yield* QueueStore
      yield* store.setPause(ref, "release", by(0))
      yield* store.setPause(ref, "release", by(1))
      yield* store.setPause(ref, "incident", by(2))
      yield* store.removePause(ref, by(3))
      yield* store.removePause(ref, by(4))
      const pause = { reason: "incident", pauseDate: Sample.noon }
      yield* Law.equal((yield* log(ref)).map(plain), [
        Event.paused({ ...pause, reason: "release" }, Sample.noon, "key 1"),
        Event.paused(pause, Sample.noon + 2, "key 1"),
        Event.unpaused(pause, Sample.noon + 3, "key 1")
      ])
    }
  )
]
