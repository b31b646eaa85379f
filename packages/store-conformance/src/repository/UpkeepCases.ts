/** The law of upkeep: what is stored is what the kept executions say, and recomputing it changes nothing. */
import { Repository } from "@lazaret/domain"
import { RepositoryStore, UpkeepStore } from "@lazaret/store"
import { Effect } from "effect"
import { Answer, Case, Command, Differential, Law, Policy, Sample, Upload } from "../law/index.ts"

const verified = (ref: Repository.RepositoryRef) =>
  Effect.flatMap(
    UpkeepStore.use((store) => store.verify(ref)),
    (differences) => Law.equal(differences, [], "what verify finds")
  )

/** The cases of upkeep. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("UpkeepStore", "verify finds nothing after any commands, and a refold changes no answer", () =>
    Law.forAll(
      Command.lists(60),
      (commands) =>
        Effect.gen(function* () {
          const refs = yield* Effect.all([Case.repository, Case.repository])
          const answers = yield* Differential.answers(commands, refs)
          yield* Effect.forEach(refs, verified)
          yield* Effect.forEach(refs, (ref) => UpkeepStore.use((store) => store.refold(ref)))
          const after = yield* Effect.forEach(refs, (ref) => Answer.everything(ref))
          yield* Law.equal(after, answers.at(-1), "everything that can be asked after a refold")
          yield* Effect.forEach(refs, verified)
        }),
      { runs: 10, seed: 41 }
    )
  ),

  Case.make("UpkeepStore", "nothing is known of a repository for which nothing was ever written", function* (ref) {
    const store = yield* UpkeepStore
    yield* Law.equal(yield* store.refold(ref), false)
    yield* verified(ref)
    yield* Law.equal(yield* store.refold(ref), false)
  }),

  Case.make("UpkeepStore", "what this version has computed is not outdated", function* (ref) {
    const store = yield* UpkeepStore
    yield* Upload.one(ref, "r1", { commit: "c1" }, [{ testName: "adds" }])
    yield* Law.equal(
      (yield* store.outdated).filter(({ owner, repository }) => owner === ref.owner && repository === ref.repository),
      []
    )
  }),

  Case.make("UpkeepStore", "a refold during uploads and changed settings loses none of their effects", function* (ref) {
    const store = yield* UpkeepStore
    const settings = Policy.settingsOf({ ...smallest, isStandard: false })
    yield* Effect.all(
      [
        ...Array.from({ length: 12 }, (_, index) =>
          Upload.one(ref, `r${index}`, { commit: `c${index % 5}` }, [
            { testName: "adds", at: Sample.daysAgo(12 - index) },
            Sample.failure({ testName: `t${index % 3}`, at: Sample.daysAgo(12 - index) })
          ])
        ),
        RepositoryStore.use((repositories) => repositories.set(ref, settings, Sample.noon)),
        store.refold(ref),
        store.verify(ref),
        store.refold(ref)
      ],
      { concurrency: "unbounded" }
    )
    yield* verified(ref)
    yield* Law.equal(yield* store.refold({ ...ref, owner: ref.owner.toUpperCase() }), true)
    yield* verified(ref)
  })
]

const smallest: Policy.Choice = {
  defaultBranch: null,
  isStandard: false,
  flakinessEvidence: "every_branch",
  rememberedCommits: 2,
  episodeDays: 1,
  recoveryPasses: 1,
  recoveryCommits: 1,
  brokenCommits: 1,
  cleanPasses: 1,
  cleanDays: 1,
  cleanChance: 0.9,
  cleanDaysMost: 1,
  brokenChance: 0.3,
  brokenCommitsMost: 3,
  halfLifeDays: 1,
  confidence: 1,
  activeDays: 30,
  failedTests: 2,
  failedShare: 0.5,
  excusedCommits: 1,
  fewTests: 1,
  otherBranchDays: 14,
  otherBranchFailureDays: 30
}
