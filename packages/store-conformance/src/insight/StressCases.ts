/** The law of stress runs. */
import { Instant, TestId } from "@lazaret/domain"
import { RepositoryStore, stressBounds, type StressRun, StressStore } from "@lazaret/store"
import { Option } from "effect"
import * as Alias from "../law/Alias.ts"
import * as Case from "../law/Case.ts"
import * as Law from "../law/Law.ts"
import * as Sample from "../law/Sample.ts"

const run = (runId: string, parts: Partial<StressRun> = {}): StressRun => ({
  runId,
  testId: TestId.of(parts.testName ?? Sample.testName),
  testName: Sample.testName,
  commit: "c1",
  passed: 29,
  failed: 0,
  claim: { confidence: 0.95, below: 0.1 },
  at: Sample.noon,
  ...parts
})

/** The cases of stress runs. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("StressStore", "a stress run is stored once, and the latest ones of a test come first", function* (ref) {
    const store = yield* StressStore
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 5), [], "before there is a repository")
    const later = run("b", { at: Sample.noon + 1, commit: "c2", failed: 1, passed: 3 })
    const other = run("a", { testName: "\u{1f600}" })
    yield* Law.equal(yield* store.record(ref, [run("a"), other], Sample.noon), 2)
    yield* Law.equal(Option.isSome(yield* RepositoryStore.use((all) => all.get(ref))), true, "it is created")
    yield* Law.equal(yield* store.record(ref, [run("a", { passed: 1 }), later], Sample.noon + 1), 1, "again")
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 5), [later, run("a")])
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 1), [later])
    yield* Law.equal(yield* store.ofTest(ref, TestId.of("\u{1f600}"), 5), [other])
    yield* Law.equal(yield* store.ofTest(yield* Case.repository, Sample.testId, 5), [], "another repository")
  }),

  Case.make("StressStore", "a stress run is removed when its days are over", function* (ref) {
    const store = yield* StressStore
    yield* store.record(ref, [run("a")], Sample.noon)
    const last = Sample.noon + stressBounds.days * Instant.day
    yield* store.record(ref, [run("b", { at: last })], last)
    yield* Law.equal((yield* store.ofTest(ref, Sample.testId, 5)).length, 2, "within its days")
    yield* store.record(ref, [run("c", { at: last + 1 })], last + 1)
    yield* Law.equal(
      (yield* store.ofTest(ref, Sample.testId, 5)).map(({ runId }) => runId),
      ["c", "b"],
      "after its days"
    )
  }),

  Case.make("StressStore", "the stress runs on a commit are those of all its tests, the latest first", function* (ref) {
    const store = yield* StressStore
    const other = run("b", { testName: "b", at: Sample.noon + 1 })
    yield* store.record(ref, [run("a"), run("c", { commit: "c2" })], Sample.noon)
    yield* store.record(ref, [other], Sample.noon + 1)
    yield* Law.equal(yield* store.ofCommit(ref, "c1", 5), [other, run("a")])
    yield* Law.equal(yield* store.ofCommit(ref, "c1", 1), [other])
    yield* Law.equal(yield* store.ofCommit(ref, "c3", 5), [])
    yield* Law.equal(yield* store.ofCommit(yield* Case.repository, "c1", 5), [], "another repository")
  }),

  Case.make("StressStore", "a stress run follows an alias, and ends with its test and its repository", function* (ref) {
    const store = yield* StressStore
    const old = run("a", { testName: "old" })
    yield* store.record(ref, [old, run("b")], Sample.noon)
    yield* Alias.add(ref, [Alias.link("name", "old", Sample.testName)])
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 5), [run("b"), old], "both names")
    yield* RepositoryStore.use((all) => all.removeTest(ref, Sample.testId))
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 5), [], "a removed test")
    yield* store.record(ref, [run("c")], Sample.noon)
    yield* RepositoryStore.use((all) => all.remove(ref))
    yield* Law.equal(yield* store.ofTest(ref, Sample.testId, 5), [], "a removed repository")
  }),

  Case.make("StressStore", "of more stress runs than are kept the oldest are removed", function* (ref) {
    const store = yield* StressStore
    const { most } = stressBounds
    const rows = Array.from({ length: most }, (_, index) => run(`r${index}`, { at: Sample.noon + index }))
    yield* store.record(ref, rows, Sample.noon + most)
    yield* store.record(ref, [run("late", { at: Sample.noon + most })], Sample.noon + most)
    const kept = yield* store.ofTest(ref, Sample.testId, most + 5)
    yield* Law.equal([kept.length, kept[0]?.runId, kept.at(-1)?.runId], [most, "late", "r1"])
  })
]
