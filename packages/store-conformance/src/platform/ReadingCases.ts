/** The law of readings. */
import { Instant, JobTime } from "@lazaret/domain"
import { ReadingStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample, Upload } from "../law/index.ts"

const leases = Leased.of(ReadingStore)

const time = (runId: string, jobName: string, minute: number, durationMs = 1000): JobTime.JobTime => ({
  runId,
  runAttempt: 1,
  jobName,
  at: Sample.noon + minute * Instant.minute,
  durationMs
})

const run = (runId: string, attempt: number, state: "running" | "over", minute: number) => ({
  runId,
  attempt,
  state,
  pipelineName: "CI",
  commit: `c${runId}`,
  at: Sample.noon + minute * Instant.minute
})

/** The cases of readings. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "ReadingStore",
    "a run stays due until a reading that began after its last request is done",
    function* (ref) {
      const store = yield* ReadingStore
      const now = Sample.noon
      yield* store.request(ref, "9007199254740993", now + 5)
      yield* store.request(ref, "7", now + 6)
      yield* store.request(ref, "7", now + 9)
      yield* Law.equal(yield* leases.at(ref, now + 4), [], "before the time of the earliest request")
      const many = yield* Effect.all([leases.at(ref, now + 9), leases.at(ref, now + 9)], { concurrency: 2 })
      const all = many.flat()
      const named = all.map(({ attempts, requests, runId }) => [runId, attempts, requests])
      yield* Law.equal(named.toSorted(), [
        ["7", 0, 2],
        ["9007199254740993", 0, 1]
      ])
      const [first, second] = [all.find(({ runId }) => runId === "7"), all.find(({ runId }) => runId !== "7")]
      if (first === undefined || second === undefined) return
      yield* store.request(ref, "7", now + 10)
      yield* Law.equal(yield* store.finish(first), true, "the end of a reading")
      yield* Law.equal(yield* store.defer(second, now + Instant.hour), true)
      yield* Law.equal(
        (yield* leases.at(ref, now + 11)).map(({ runId }) => runId),
        ["7"],
        "the request that arrived meanwhile, and not what is deferred"
      )
      const last = yield* leases.at(ref, now + 2 * Instant.hour)
      yield* Law.equal(
        last.map(({ attempts, runId }) => [runId, attempts]),
        [
          ["7", 0],
          ["9007199254740993", 1]
        ],
        "the lease that ran out, and what was deferred"
      )
      yield* Law.equal(yield* store.finish(first), false, "under a lost lease")
      for (const each of last) yield* Law.equal(yield* store.finish(each), true)
      yield* Law.equal(yield* leases.at(ref, now + 9 * Instant.hour), [], "after all are done")
    }
  ),

  Case.make("ReadingStore", "the latest upload of a job is kept, in a repository that exists", function* (ref) {
    const store = yield* ReadingStore
    yield* store.uploaded(ref, Sample.noon)
    yield* Law.equal(yield* store.lastUpload(ref), Option.none())
    yield* Law.equal(yield* RepositoryStore.use(({ get }) => get(ref)), Option.none(), "the repository")
    yield* Upload.one(ref, "r", {}, [{}])
    yield* Law.equal(yield* store.lastUpload(ref), Option.none(), "a report alone notes no upload")
    for (const minute of [0, 5, 3]) yield* store.uploaded(ref, Sample.noon + minute * Instant.minute)
    yield* Law.equal(yield* store.lastUpload(ref), Option.some(Sample.noon + 5 * Instant.minute))
  }),

  Case.make(
    "ReadingStore",
    "of two times of a job the one that ended last is kept, in a repository that exists",
    function* (ref) {
      const store = yield* ReadingStore
      yield* store.noteTimes(ref, [time("1", "unit", 0)])
      yield* Upload.one(ref, "r", {}, [{}])
      yield* Law.equal(yield* store.times(ref, 0), [], "what was noted before there was a repository")
      yield* store.noteTimes(ref, [time("2", "unit", 5), time("1", "unit \u{1f600}", 5)])
      const second = { ...time("2", "unit", 7), runAttempt: 2 }
      yield* store.noteTimes(ref, [time("2", "unit", 3, 7), time("1", "unit", 9), second])
      yield* store.noteTimes(ref, [])
      const all = [time("1", "unit \u{1f600}", 5), time("2", "unit", 5), second, time("1", "unit", 9)]
      yield* Law.equal(yield* store.times(ref, 0), all)
      yield* Law.equal(yield* store.times(ref, second.at), all.slice(2), "since an instant")
      const later = time("3", "unit", 6 + JobTime.bounds.days * 24 * 60)
      yield* store.noteTimes(ref, [later])
      yield* Law.equal(yield* store.times(ref, 0), [second, time("1", "unit", 9), later], "without older ones")
    }
  ),

  Case.make(
    "ReadingStore",
    "the latest state of a run is kept, whatever the order in which states are noted",
    function* (ref) {
      const store = yield* ReadingStore
      const of = { commits: ["c1"], runIds: ["2", "3"] }
      yield* store.noteRun(ref, run("1", 1, "running", 0))
      yield* Law.equal(yield* store.runs(ref, of), [], "before there is a repository")
      yield* Upload.one(ref, "r", {}, [{}])
      yield* Law.equal(yield* store.runs(ref, of), [], "what was noted before there was a repository")
      for (const [first, second] of [
        ["1", "2"],
        ["2", "1"]
      ] as const) {
        for (const each of [run(first, 1, "over", 5), run(second, 2, "running", 9), run(second, 1, "over", 20)]) {
          yield* store.noteRun(ref, each)
        }
        yield* store.noteRun(ref, run(first, 1, "running", 7))
      }
      yield* store.noteRun(ref, run("4", 1, "over", 0))
      yield* Law.equal(yield* store.runs(ref, of), [run("1", 2, "running", 9), run("2", 2, "running", 9)])
      yield* store.noteRun(ref, run("3", 1, "over", 24 * 60 + 9))
      yield* store.noteRun(ref, run("2", 2, "over", 24 * 60 + 10))
      yield* Law.equal(
        (yield* store.runs(ref, of)).map(({ runId, state }) => [runId, state]),
        [
          ["2", "over"],
          ["3", "over"]
        ],
        "a day later"
      )
    }
  )
]
