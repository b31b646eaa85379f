/** The law of the files of tests: those of the list, and the numbers of tests that each file has. */
import { type Repository, TestFile, TestList } from "@lazaret/domain"
import { TestStore } from "@lazaret/store"
import { Effect } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const list = (ref: Repository.RepositoryRef, files: TestList.Query["files"] = null) =>
  Effect.map(
    TestStore.use((store) => store.list(ref, { ...TestList.everything, files, limit: 100 }, Sample.noon)),
    ({ rows }) => rows
  )

const filesOf = (ref: Repository.RepositoryRef) =>
  Effect.map(list(ref), (rows) => rows.map(({ file, testName }) => [testName, file]))

const counts = (ref: Repository.RepositoryRef, quarantined: ReadonlySet<string> = new Set()) =>
  Effect.map(
    TestStore.use((store) => store.files(ref, quarantined, Sample.noon)),
    (all) => new Map(all.map((each) => [each.file, each]))
  )

const both = [
  { testName: "a", filepath: "src/a.ts", functionName: "one" },
  Sample.failure({ testName: "b", filepath: "src/b.ts" }),
  { testName: "c" }
]

/** The cases of files. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestStore",
    "the list knows the file that the reports of a test name, and finds tests by it",
    function* (ref) {
      yield* Upload.one(ref, "1", { commit: "c1" }, both)
      yield* Upload.one(ref, "2", { commit: "c2", jobName: "web" }, [
        { testName: "a", filepath: "src/a.ts", functionName: "two", at: Sample.noon + 1 }
      ])
      yield* Law.equal(yield* filesOf(ref), [
        ["a", "src/a.ts"],
        ["a", "src/a.ts"],
        ["b", "src/b.ts"],
        ["c", null]
      ])
      const found = yield* list(ref, new Set(["src/b.ts", null]))
      yield* Law.equal(
        found.map(({ testName }) => testName),
        ["b", "c"]
      )
      yield* Law.equal(yield* list(ref, new Set()), [], "no file")
    }
  ),

  Case.make("TestStore", "a file counts its tests by health, and those in quarantine", function* (ref) {
    yield* Law.equal(yield* counts(ref), new Map(), "without a test")
    yield* Upload.one(ref, "1", { commit: "c1" }, [...both, { testName: "d", filepath: "src/b.ts" }])
    const none: TestFile.Counts = { healthy: 0, flaky: 0, broken: 0, quarantined: 0 }
    const found = yield* counts(ref, new Set(["b", "c", "elsewhere"]))
    yield* Law.equal(found.get("src/a.ts"), { ...none, file: "src/a.ts", healthy: 1 })
    yield* Law.equal(found.get("src/b.ts"), { ...none, file: "src/b.ts", healthy: 1, broken: 1, quarantined: 1 })
    yield* Law.equal(found.get(null), { ...none, file: null, healthy: 1, quarantined: 1 })
    yield* Law.equal(found.size, 3)
  }),

  Case.make(
    "TestStore",
    "a test that has moved has the file of its latest execution on the default branch",
    function* (ref) {
      const upload = (id: string, at: number, filepath: string | null, branch = "main") =>
        Upload.one(ref, id, { commit: id, branch }, [
          { testName: "a", filepath, at: Sample.noon + at },
          { testName: "b", filepath: "b.ts", at: Sample.noon + at }
        ])
      yield* upload("1", 1000, "old/a.ts")
      yield* upload("2", 3000, "new/a.ts")
      yield* Law.equal(yield* filesOf(ref), [
        ["a", "new/a.ts"],
        ["b", "b.ts"]
      ])
      yield* upload("3", 4000, "topic/a.ts", "topic")
      yield* upload("4", 2000, "old/a.ts")
      yield* upload("5", 5000, null)
      yield* Law.equal((yield* filesOf(ref))[0], ["a", "new/a.ts"], "another branch, and a report that comes late")
      yield* upload("6", 6000, "old/a.ts")
      yield* Law.equal((yield* filesOf(ref))[0], ["a", "old/a.ts"], "the way back")
      for (let move = 0; move < 8; move++) yield* upload(`move ${move}`, 7000 + move, `${move}/a.ts`)
      yield* Law.equal((yield* filesOf(ref))[0], ["a", "7/a.ts"], "more files than most tests ever have")
    }
  )
]
