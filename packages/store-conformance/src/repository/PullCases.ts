/** The law of the pull requests of a repository: of which commits they are, and which heads they had. */
import { Repository } from "@lazaret/domain"
import { RepositoryStore } from "@lazaret/store"
import { Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const head = (number: number, commit: string, owner: string) => ({
  number,
  commit,
  owner,
  isFork: owner !== "acme"
})

/** The cases of pull requests. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "RepositoryStore",
    "pull requests are kept per commit, whole, and a later fact replaces an earlier one",
    function* (ref) {
      const store = yield* RepositoryStore
      yield* Law.equal(yield* store.pulls(ref, ["c1"]), new Map())
      yield* store.recordPulls(
        ref,
        [
          { commit: "c1", pull: Sample.pull(1) },
          { commit: "C1", pull: Sample.pull(2) }
        ],
        Sample.noon
      )
      const large = {
        ...Sample.pull(3),
        id: Number.MAX_SAFE_INTEGER,
        title: "",
        user: { id: 2 ** 40, login: "\u{1f600}" }
      }
      yield* store.recordPulls(
        ref,
        [
          { commit: "c1", pull: Sample.pull(9) },
          { commit: "c1", pull: large }
        ],
        Sample.noon
      )
      const found = yield* store.pulls(ref, ["c1", "C1", "c1", "unknown"])
      yield* Law.equal(
        found,
        new Map([
          ["c1", large],
          ["C1", Sample.pull(2)]
        ])
      )
      yield* Upload.one(ref, "r", { commit: "C1", branch: "topic", pullRequest: Sample.pull(4) }, [{}])
      yield* Upload.one(ref, "r2", { commit: "c1" }, [{}])
      yield* Upload.one(ref, "r3", { commit: "c1", branch: "ada:main", pullRequest: Sample.pull(5) }, [{}])
      yield* Upload.one(ref, "r4", { commit: "c2", branch: "ada:main", pullRequest: Sample.pull(5) }, [{}])
      yield* Law.equal(
        yield* store.pulls(ref, ["c1", "c2", "C1"]),
        new Map([
          ["c1", large],
          ["C1", Sample.pull(4)]
        ])
      )
      yield* Law.equal(yield* store.pulls(ref, []), new Map())
    }
  ),

  Case.make(
    "RepositoryStore",
    "the commits of a pull request are found by its number, also where nothing else of it is known",
    function* (ref) {
      const store = yield* RepositoryStore
      yield* store.recordPulls(ref, [{ commit: "c1", pull: Sample.pull(7) }], Sample.noon)
      yield* Upload.one(ref, "r1", { commit: "c2", branch: "topic", pullNumber: 7 }, [{}])
      yield* Upload.one(ref, "r2", { commit: "c2", branch: "topic", jobName: "e2e", pullNumber: 7 }, [{}])
      yield* Upload.one(ref, "r3", { commit: "c2", branch: "topic", jobName: "lint", pullNumber: 8 }, [{}])
      yield* Upload.one(ref, "r4", { commit: "c3", branch: "ada:topic", pullNumber: 7 }, [{}])
      yield* Upload.one(ref, "r5", { commit: "c4", branch: "topic", pullRequest: Sample.pull(7) }, [{}])
      yield* Law.equal(yield* store.commitsOf(ref, 7), ["c1", "c2", "c4"])
      yield* Law.equal(yield* store.commitsOf(ref, 8), ["c2"])
      yield* Law.equal(yield* store.commitsOf(ref, 9), [])
      yield* Law.equal(
        yield* store.numbersOf(ref, ["c1", "c2", "c3", "unknown"]),
        new Map([
          ["c1", 7],
          ["c2", 8]
        ])
      )
      yield* Law.equal([...(yield* store.pulls(ref, ["c1", "c2", "c4"])).keys()].toSorted(), ["c1", "c4"])
    }
  ),

  Case.make("RepositoryStore", "facts create their repository, even an empty list of them", function* (ref) {
    const store = yield* RepositoryStore
    yield* store.recordPulls(ref, [], Sample.noon + 3)
    const expected = { ...ref, createdAt: Sample.noon + 3, settings: Repository.defaultSettings }
    yield* Law.equal(yield* store.get(ref), Option.some(expected))
  }),

  Case.make(
    "RepositoryStore",
    "heads of pull requests are kept once, and found by commit and by number",
    function* (ref) {
      const store = yield* RepositoryStore
      yield* store.recordHeads(ref, [head(1, "a", "ada")])
      yield* Law.equal(yield* store.get(ref), Option.none())
      yield* store.set(ref, Repository.defaultSettings, Sample.noon)
      yield* store.recordHeads(ref, [head(2, "a", "acme"), head(1, "b", "ada"), head(1, "a", "ada")])
      yield* store.recordHeads(ref, [head(1, "a", "ada"), head(1, "b", "eve")])
      yield* Law.equal(yield* store.heads(ref, { commit: "a" }), [head(1, "a", "ada"), head(2, "a", "acme")])
      yield* Law.equal(yield* store.heads(ref, { number: 1 }), [head(1, "a", "ada"), head(1, "b", "eve")])
      yield* Law.equal(yield* store.heads(ref, { number: 3 }), [])
    }
  )
]
