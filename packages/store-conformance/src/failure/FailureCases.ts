/** The law of failure groups. */
import { Failure, Instant, type Report, type Repository, TestId } from "@lazaret/domain"
import { FailureStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const failed = (message: string | null, parts: Partial<Report.Case> = {}): Partial<Report.Case> => ({
  conclusion: "failed",
  exception: { type: "AssertionError", message, stacktrace: null },
  ...parts
})

const list = (ref: Repository.RepositoryRef) => FailureStore.use((store) => store.list(ref, Sample.testId))

/** Message and count of each group, in order. */
const summary = (ref: Repository.RepositoryRef) =>
  Effect.map(
    list(ref),
    Option.map((groups) => groups.map((group) => [group.exceptionMessage, group.failureCount] as const))
  )

const at = (minute: number) => ({ at: Sample.noon + minute * Instant.minute })

const failing = (type: string | null, message: string | null) => ({
  conclusion: "failed" as const,
  exception: { type, message, stacktrace: null }
})

const letters = (index: number) => Array.from(String(index), (digit) => "abcdefghij"[Number(digit)]).join("")

/** The cases of failure groups. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "FailureStore",
    "messages that differ in volatile parts are one group, which shows the latest as it was",
    function* (ref) {
      yield* Upload.one(ref, "r2", { commit: "c2" }, [failed("timeout after 31 ms\nat b", at(2))])
      yield* Upload.one(ref, "r1", { commit: "c1" }, [
        failed("timeout after 1200 ms\nat a", at(1)),
        failed("other", at(0))
      ])
      yield* Upload.one(ref, "r3", { commit: "c3", jobName: "e2e" }, [failed("timeout after 2 s", at(1))])
      const exception = { type: "AssertionError", message: "timeout after 5 ms", stacktrace: null }
      const timeout: Failure.Failure = {
        id: Failure.groupOf(Sample.testId, exception).id,
        exceptionType: "AssertionError",
        exceptionMessage: "timeout after 31 ms\nat b",
        failureCount: 3,
        firstFailureAt: Sample.noon + Instant.minute,
        lastFailureAt: Sample.noon + 2 * Instant.minute
      }
      const groups = yield* list(ref)
      yield* Law.equal(
        Option.flatMap(groups, ([first]) => Option.fromUndefinedOr(first)),
        Option.some(timeout)
      )
      yield* Law.equal(
        yield* summary(ref),
        Option.some([
          ["timeout after 31 ms\nat b", 3],
          ["other", 1]
        ])
      )
    }
  ),

  Case.make(
    "FailureStore",
    "another type is another group; a missing type reads unknown, a missing message is empty",
    function* (ref) {
      yield* Upload.one(ref, "r", {}, [
        failing("A", "m"),
        failing("B", "m"),
        failing(null, null),
        failing("", ""),
        failing("unknown", "")
      ])
      const groups = Option.getOrElse(yield* list(ref), () => [])
      yield* Law.equal(
        groups.map((group) => `${group.exceptionType}|${group.exceptionMessage}|${group.failureCount}`).toSorted(),
        ["A|m|1", "B|m|1", "unknown||3"]
      )
    }
  ),

  Case.make(
    "FailureStore",
    "a flaky pass belongs to the group of its failed attempt, which shows its message and its stack trace",
    function* (ref) {
      const exception = { type: "TimeoutError", message: "no answer after 5 s", stacktrace: "at cart.ts:7" }
      const flaky = Sample.report("r1", { commit: "c1" }, [{ flaky: true, reruns: 1, exception }])
      const later = Sample.report("r2", { commit: "c2" }, [
        { conclusion: "failed", exception: { ...exception, stacktrace: null }, at: Sample.noon + 1 }
      ])
      yield* Upload.all(ref, [flaky, later])
      const { id } = Failure.groupOf(Sample.testId, exception)
      const detail = yield* FailureStore.use((store) => store.get(ref, Sample.testId, id))
      yield* Law.equal(
        Option.map(detail, ({ events, failure }) => [
          `${failure.exceptionType}: ${failure.exceptionMessage}, ${failure.failureCount} times`,
          ...events.map((event) => `${event.id}: ${event.stacktrace}`)
        ]),
        Option.some([
          "TimeoutError: no answer after 5 s, 2 times",
          `${later.id}.0: null`,
          `${flaky.id}.0: at cart.ts:7`
        ])
      )
    }
  ),

  Case.make(
    "FailureStore",
    "passes, skipped tests and failures without exception data belong to no group",
    function* (ref) {
      yield* Upload.one(ref, "r", {}, [{ conclusion: "failed" }, { flaky: true, reruns: 1 }, { conclusion: "skipped" }])
      yield* Law.equal(yield* list(ref), Option.some([]))
      yield* Law.equal(yield* FailureStore.use((store) => store.list(ref, TestId.of("unknown"))), Option.none())
    }
  ),

  Case.make(
    "FailureStore",
    "groups that failed last come first, and those of one instant are in the order of their ids",
    function* (ref) {
      const words = ["red", "green", "blue", "black", "white"]
      yield* Upload.one(
        ref,
        "r1",
        {},
        words.map((word) => failed(word))
      )
      yield* Upload.one(ref, "r2", {}, [
        failed("latest", { at: Sample.noon + 1 }),
        failed("first", { at: Sample.noon - 1 })
      ])
      const ids = words.map(
        (word) => Failure.groupOf(Sample.testId, { type: "AssertionError", message: word, stacktrace: null }).id
      )
      const groups = Option.getOrElse(yield* list(ref), () => [])
      yield* Law.equal(
        groups.slice(1, -1).map(({ id }) => id),
        ids.toSorted()
      )
      yield* Law.equal([groups[0]?.exceptionMessage, groups.at(-1)?.exceptionMessage], ["latest", "first"])
    }
  ),

  Case.make(
    "FailureStore",
    "a group shows its 10 latest events, newest first, with where they happened",
    function* (ref) {
      const runs = Array.from({ length: 12 }, (_, index) => {
        const exception = { type: "E", message: "m", stacktrace: `stack ${index}` }
        const context = { commit: `c${index}`, jobUrl: `https://ci.example/${index}`, language: "typescript" }
        const execution = {
          conclusion: "failed" as const,
          exception,
          filepath: `f${index}.ts`,
          at: Sample.noon + index
        }
        return Sample.report(`r${index}`, context, [execution])
      })
      yield* Upload.all(ref, runs.toReversed())
      const { id } = Failure.groupOf(Sample.testId, { type: "E", message: "m", stacktrace: null })
      const detail = yield* FailureStore.use((store) => store.get(ref, Sample.testId, id))
      const events = runs
        .slice(2)
        .toReversed()
        .map((report, place) => ({
          id: `${report.id}.0`,
          failedAt: Sample.noon + 11 - place,
          stacktrace: `stack ${11 - place}`,
          filepath: `f${11 - place}.ts`,
          language: "typescript",
          jobUrl: `https://ci.example/${11 - place}`
        }))
      yield* Law.equal(
        Option.map(detail, (found) => found.events),
        Option.some(events)
      )
      yield* Law.equal(
        Option.map(detail, ({ failure }) => failure.failureCount),
        Option.some(12)
      )
    }
  ),

  Case.make("FailureStore", "events of one instant are in the reverse order of executions", function* (ref) {
    const reports = ["a", "b", "c", "d"].map((key) => Sample.report(key, { commit: key }, [failed("m"), failed("m")]))
    yield* Upload.all(ref, reports)
    const ids = reports.flatMap(({ executions }) => executions.map(({ id }) => id))
    const { id } = Failure.groupOf(Sample.testId, { type: "AssertionError", message: "m", stacktrace: null })
    const detail = yield* FailureStore.use((store) => store.get(ref, Sample.testId, id))
    yield* Law.equal(
      Option.map(detail, ({ events }) => events.map((event) => event.id)),
      Option.some(ids.toSorted().toReversed())
    )
  }),

  Case.make(
    "FailureStore",
    "a group is found under its own test only, and a test keeps the 1,000 that failed last",
    function* (ref) {
      const executions = Array.from({ length: Failure.maximumGroups + 5 }, (_, index) =>
        failed(`word ${letters(index)}`, { at: Sample.noon - index })
      )
      yield* Upload.one(ref, "r1", {}, executions)
      yield* Upload.one(ref, "r2", {}, [{ testName: "other" }])
      const groups = Option.getOrElse(yield* list(ref), () => [])
      yield* Law.equal(
        groups.map(({ exceptionMessage }) => exceptionMessage),
        executions.slice(0, Failure.maximumGroups).map(({ exception }) => exception?.message ?? "")
      )
      const store = yield* FailureStore
      const [first] = groups
      yield* Law.equal(
        Option.map(yield* store.get(ref, Sample.testId, first?.id ?? ""), ({ failure }) => failure),
        Option.fromUndefinedOr(first)
      )
      yield* Law.equal(yield* store.get(ref, TestId.of("other"), first?.id ?? ""), Option.none())
      yield* Law.equal(yield* store.get(ref, TestId.of("unknown"), first?.id ?? ""), Option.none())
      yield* Law.equal(yield* store.get(ref, Sample.testId, Sample.testId), Option.none())
    }
  ),

  Case.make("FailureStore", "a failure that comes late is counted in its place", function* (ref) {
    yield* Upload.one(ref, "r1", { commit: "c1" }, [failed("got 2")])
    yield* Upload.one(ref, "r2", { commit: "c2" }, [failed("got 1", { at: Sample.daysAgo(70) })])
    const groups = Option.getOrElse(yield* list(ref), () => [])
    yield* Law.equal(
      groups.map((group) => [group.exceptionMessage, group.failureCount, group.firstFailureAt, group.lastFailureAt]),
      [["got 2", 2, Sample.daysAgo(70), Sample.noon]]
    )
  })
]
