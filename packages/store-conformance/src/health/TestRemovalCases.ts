/** The law of the removal of one test. */
import { Instant, Page, type Repository, TestId } from "@lazaret/domain"
import {
  EventStore,
  FailureStore,
  QuarantineStore,
  RepositoryStore,
  RetentionStore,
  TestStore,
  TriageStore,
  UpkeepStore,
  VerdictStore
} from "@lazaret/store"
import { Effect, Option } from "effect"
import { Answer, Ask, Case, Law, Sample, Upload } from "../law/index.ts"

const [gone, kept] = [TestId.of("gone"), TestId.of("kept")]

const failed = (testName: string, at: number, message = `${testName} fails`) =>
  Sample.failure({
    testName,
    at: Sample.noon + at,
    filepath: "a.ts",
    exception: { type: "Error", message, stacktrace: null }
  })

/** Two tests that fail and pass, on two branches and in two jobs, and a quarantine of each. */
const fill = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const upload = (id: string, context: object, ...executions: Parameters<typeof Upload.one>[3]) =>
    Upload.one(ref, id, { commit: id, ...context }, executions)
  yield* upload("1", {}, failed("gone", 1), failed("kept", 2, "the same"))
  yield* upload("2", {}, { testName: "gone", at: Sample.noon + 3 }, { testName: "kept", at: Sample.noon + 3 })
  yield* upload("3", { branch: "topic" }, failed("gone", 4, "the same"), failed("kept", 4))
  yield* upload("4", { jobName: "web" }, failed("gone", 5))
  const { a, b } = yield* Sample.ids("a", "b")
  const quarantines = yield* QuarantineStore
  yield* quarantines.insert(ref, { ...Sample.quarantine(a), testName: "gone" })
  yield* quarantines.insert(ref, { ...Sample.quarantine(b), testName: "kept" })
})

const remove = (ref: Repository.RepositoryRef, testId = gone) =>
  RepositoryStore.use((store) => store.removeTest(ref, testId))

/** Every place in which a test could be found. */
const traces = (ref: Repository.RepositoryRef, testId: TestId.TestId, testName: string) =>
  Effect.gen(function* () {
    const tests = yield* TestStore
    const quarantines = yield* QuarantineStore
    const asked = { branch: null, testId, source: null, from: Page.start, limit: null, now: Sample.noon }
    const log = yield* EventStore.use((store) => store.after(ref, 0, 1000))
    return {
      listed: (yield* Ask.rows(ref)).some((row) => row.testName === testName),
      details: Option.isSome(yield* tests.get(ref, testId, Sample.noon)),
      elsewhere: (yield* tests.elsewhere(ref, testId, 0)).length,
      failures: Option.isSome(yield* FailureStore.use((store) => store.list(ref, testId))),
      signatures: (yield* TriageStore.use((store) =>
        store.signatures(ref, [{ testName, until: Sample.noon + Instant.day }])
      )).flat().length,
      quarantines: (yield* quarantines.page(ref, asked)).total + (yield* quarantines.past(ref, testId)).length,
      events: log.filter((event) => event.testId === testId).length
    }
  })

const nothing = {
  listed: false,
  details: false,
  elsewhere: 0,
  failures: false,
  signatures: 0,
  quarantines: 0,
  events: 0
}

const verdictOn = (testName: string) => ({
  testId: TestId.of(testName),
  executionId: `${testName}.1`,
  testName,
  pipelineName: "CI",
  jobName: "unit",
  commit: "c1",
  runId: null,
  at: Sample.noon,
  verdict: "flaky" as const,
  probability: 0.5,
  odds: 0,
  base: "passed" as const
})

/** The cases of the removal of a test. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("RepositoryStore", "of a removed test nothing is left, and other tests keep everything", function* (ref) {
    yield* Law.equal(yield* remove(ref), false, "in a repository that does not exist")
    yield* Law.equal(yield* RepositoryStore.use((store) => store.get(ref)), Option.none())
    yield* fill(ref)
    yield* Law.equal((yield* traces(ref, gone, "gone")).events > 0, true, "events before")
    const before = yield* Answer.ofTest(ref, kept, Sample.noon)
    const own = yield* traces(ref, kept, "kept")
    yield* Law.equal(yield* remove(ref), true)
    yield* Law.equal(yield* traces(ref, gone, "gone"), nothing)
    yield* Law.equal(yield* Answer.ofTest(ref, kept, Sample.noon), before)
    yield* Law.equal(yield* traces(ref, kept, "kept"), own)
    yield* Law.equal(yield* remove(ref), false, "a second time")
    yield* Law.equal(yield* UpkeepStore.use((store) => store.verify(ref)), [])
    yield* UpkeepStore.use((store) => store.refold(ref))
    yield* Law.equal(yield* traces(ref, gone, "gone"), nothing, "after a refold")
    yield* Law.equal(yield* Answer.ofTest(ref, kept, Sample.noon), before, "after a refold")
    const { identities } = yield* RetentionStore.use((store) => store.drop(ref, Sample.noon + 30 * Instant.day))
    yield* Law.equal(identities, 1, "retention drops the other test alone")
  }),

  Case.make(
    "RepositoryStore",
    "a report that names a removed test makes it new; one that was stored does not",
    function* (ref) {
      const again = () => Upload.one(ref, "1", { commit: "1" }, [failed("gone", 1), { testName: "kept" }])
      yield* again()
      yield* remove(ref)
      yield* Law.equal((yield* again())._tag, "Duplicate")
      yield* Law.equal(yield* traces(ref, gone, "gone"), nothing, "after a repetition")
      const at = Sample.noon + Instant.hour
      yield* Upload.one(ref, "2", { commit: "2" }, [
        { testName: "gone", at },
        { testName: "kept", at }
      ])
      const records = yield* TestStore.use((store) => store.get(ref, gone, at))
      yield* Law.equal(
        Option.map(records, (all) => all.map(({ firstSeenAt, recent }) => [firstSeenAt, recent.executions])),
        Option.some([[at, 1]])
      )
      const last = yield* TestStore.use((store) => store.get(ref, kept, at))
      yield* Law.equal(
        Option.map(last, ([{ recent }]) => recent.executions),
        Option.some(2)
      )
      yield* Law.equal(yield* UpkeepStore.use((store) => store.verify(ref)), [])
    }
  ),

  Case.make("RepositoryStore", "verdicts on failures of a removed test and their marks are gone", function* (ref) {
    const store = yield* VerdictStore
    yield* Upload.one(ref, "1", {}, [{ testName: "other" }])
    yield* store.note(ref, [verdictOn("gone"), verdictOn("kept")])
    yield* store.mark(ref, { testId: gone, executionId: "gone.1" }, { truth: "flaky", by: "ada", at: Sample.noon })
    yield* Law.equal(yield* remove(ref), true, "rows alone are something")
    const left = yield* store.latest(ref, { after: 0, verdicts: ["flaky"], limit: 10 })
    yield* Law.equal(
      left.map(({ testName }) => testName),
      ["kept"]
    )
  })
]
