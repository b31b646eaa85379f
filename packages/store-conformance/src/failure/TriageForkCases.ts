/** The law of triage on runs of forks: which failures they count for, and what they never change. */
import { FailureRecords } from "@lazaret/domain"
import { Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"
import { at, both, branchesOf, failed, headOf, onCommit, only, pull, triage } from "./TriageSample.ts"

/** The cases of triage on runs of forks. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("TriageStore", "what a fork reports says nothing about failures of other branches", function* (ref) {
    const fork = { branch: "mallory:topic", baseBranch: "main" }
    yield* Upload.one(ref, "m", { commit: "m" }, [at(-60)])
    yield* Upload.one(ref, "f1", { ...fork, commit: "f", runId: "f" }, both(-50))
    yield* Upload.one(ref, "f2", { ...fork, commit: "f", runId: "f", runAttempt: 2 }, [at(-49)])
    yield* Upload.one(ref, "f3", { ...fork, commit: "p", runId: "p", runAttempt: 2 }, [at(5)])
    yield* Upload.one(ref, "p", { ...pull, commit: "p", runId: "p" }, both(0))
    for (const facts of Option.getOrThrow(yield* onCommit(ref, "p")).failures) {
      const { earlier, elsewhere, reruns, siblings, test } = facts
      yield* Law.equal([elsewhere, reruns, siblings, test.flakes, earlier.commits], [[], [], [], [], 0])
    }
    yield* Upload.one(ref, "g", { ...fork, commit: "g", runId: "g" }, [failed(10)])
    const { test } = yield* only(ref, "g")
    yield* Law.equal(
      test.flakes.some(({ commit }) => commit === "f"),
      true
    )
  }),

  Case.make("TriageStore", "however often a fork fails, it hides nothing that others reported", function* (ref) {
    const fork = { branch: "mallory:topic", baseBranch: "main" }
    yield* Upload.one(ref, "m", { commit: "m" }, [{ ...failed(-60), conclusion: "passed", flaky: true }])
    yield* Upload.one(ref, "o", { commit: "o", branch: "other" }, [failed(-50)])
    const ofFork = Array.from({ length: FailureRecords.bounds.unstable + 1 }, (_, index) =>
      Sample.report(`f${index}`, { ...fork, commit: `f${index}` }, [failed(index - 40)])
    )
    yield* Upload.all(ref, ofFork)
    yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])
    const { elsewhere, test } = yield* only(ref, "p")
    yield* Law.equal([test.flakes.map(({ commit }) => commit), elsewhere.map(({ commit }) => commit)], [["m"], ["o"]])
  }),

  Case.make(
    "TriageStore",
    "a fork's failure does not replace the failures of other branches, nor choose commits and bases",
    function* (ref) {
      const fork = { branch: "mallory:topic", baseBranch: "topic" }
      yield* Upload.one(ref, "m", { commit: "m" }, [at(-60)])
      yield* Upload.one(ref, "old", { ...pull, commit: "old", runId: "1" }, [at(-50)])
      yield* Upload.one(ref, "p", { ...pull, commit: "p", runId: "2" }, [failed(0)])
      yield* Upload.one(ref, "t", { branch: "topic", commit: "t" }, [failed(1)])
      yield* Upload.one(ref, "f1", { ...fork, commit: "p", runId: "2" }, [failed(5)])
      yield* Upload.one(ref, "f2", { ...fork, commit: "old", runId: "3" }, [failed(10)])
      yield* Law.equal((yield* only(ref, "p")).failure.branch, "topic")
      yield* Law.equal((yield* only(ref, "t")).failure.base, "main")
      yield* Law.equal(branchesOf(yield* onCommit(ref, "old")), Option.some([["topic"], ["mallory:topic"], []]))
      const latest = yield* triage(ref, { _tag: "Latest", commits: ["old", "p"], heads: [] })
      yield* Law.equal(
        Option.map(latest, ({ failures }) => failures.map(({ failure }) => [failure.commit, failure.branch])),
        Option.some([["p", "topic"]])
      )
    }
  ),

  Case.make(
    "TriageStore",
    "a run of a fork counts for a commit only where the platform names it, and no run of the repository or head of its own is there",
    function* (ref) {
      const fork = { branch: "mallory:topic", baseBranch: "main", commit: "f" }
      yield* Upload.one(ref, "f", { ...fork, runId: "f" }, [failed(0)])
      yield* Upload.one(ref, "e", { ...fork, branch: "eve:topic", runId: "e" }, [failed(1, { testName: "planted" })])
      const named = Option.some([["mallory:topic"], ["eve:topic"], ["mallory:topic"]])
      yield* Law.equal(branchesOf(yield* onCommit(ref, "f")), named)
      const none = Option.some([[], ["eve:topic", "mallory:topic"], []])
      for (const heads of [
        [],
        [headOf("other")],
        [headOf("f", { isFork: false })],
        [headOf("f", { owner: "ada" })],
        [headOf("f"), headOf("f", { number: 8, owner: "acme", isFork: false })]
      ]) {
        const found = yield* onCommit(ref, "f", heads)
        yield* Law.equal(branchesOf(found), none, JSON.stringify(heads))
        yield* Law.equal(
          Option.map(found, ({ commit, expected, identities }) => ({ commit, expected, identities })),
          Option.some({ commit: "f", expected: [], identities: 0 })
        )
      }
      yield* Upload.one(ref, "o", { ...pull, commit: "f", runId: "o" }, [at(-5)])
      yield* Law.equal(
        branchesOf(yield* onCommit(ref, "f")),
        Option.some([["topic"], ["eve:topic", "mallory:topic"], []])
      )
    }
  ),

  Case.make(
    "TriageStore",
    "a pull request takes the runs of the repository and of the fork that its head is in",
    function* (ref) {
      const fork = { branch: "mallory:topic", baseBranch: "main" }
      yield* Upload.one(ref, "f", { ...fork, commit: "f", runId: "f" }, [failed(0)])
      yield* Upload.one(ref, "e", { ...fork, branch: "eve:topic", commit: "f", runId: "e" }, [at(1)])
      yield* Upload.one(ref, "o", { branch: "copy", baseBranch: "main", commit: "f", runId: "o" }, [at(2)])
      yield* Upload.one(ref, "l", { ...fork, branch: "eve:topic", commit: "g", runId: "l" }, [failed(9)])
      const found = yield* triage(ref, { _tag: "Latest", commits: ["f", "g"], heads: [headOf("f")] })
      yield* Law.equal(branchesOf(found), Option.some([["copy", "mallory:topic"], ["eve:topic"], ["mallory:topic"]]))
    }
  ),

  Case.make("TriageStore", "a run of CI takes the job runs of forks only where it has no others", function* (ref) {
    yield* Upload.one(ref, "e", { branch: "eve:topic", commit: "f", runId: "1" }, [failed(1)])
    const run = triage(ref, { _tag: "Run", runId: "1" })
    yield* Law.equal(branchesOf(yield* run), Option.some([["eve:topic"], [], ["eve:topic"]]))
    yield* Upload.one(ref, "o", { ...pull, commit: "o", runId: "1" }, [at(0)])
    yield* Law.equal(branchesOf(yield* run), Option.some([["topic"], ["eve:topic"], []]))
  })
]
