/** The use cases of stress runs: what running tests again and again on one commit has shown (beyond the interface). */
import { type Repository, type Stress, TestId } from "@lazaret/domain"
import { RepositoryStore, type StoreError, type StressRun, StressStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"
import { Automation } from "../quarantine/Automation.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { isCommitId } from "../report/PullBases.ts"

/** A stress run that ended: its tests with their passes and failures on one commit. */
export interface EndedStressRun {
  readonly runId: string
  readonly commit: string
  readonly claim: Stress.Claim
  readonly tests: ReadonlyArray<Stress.Tally & { readonly testName: string }>
}

/** The most stress runs of a test that are shown: the latest. */
const mostShown = 20

/** Stores and shows stress runs. */
export class StressRuns extends Context.Service<
  StressRuns,
  {
    /** Stores a stress run, and yields how many of its tests were new. The same run again changes nothing. */
    readonly record: (ref: Repository.RepositoryRef, run: EndedStressRun) => Effect.Effect<number, StoreError>
    /** The latest stress runs of a test, at most 20, the latest first. */
    readonly ofTest: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<ReadonlyArray<StressRun>, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/StressRuns") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    StressRuns,
    Effect.gen(function* () {
      const store = yield* StressStore
      const repository = Lookup.repository(yield* RepositoryStore)
      const { notice } = yield* CommitNotice
      const automation = yield* Automation

      const record = Effect.fn("StressRuns.record")(function* (
        ref: Repository.RepositoryRef,
        { claim, commit, runId, tests: ended }: EndedStressRun
      ) {
        const at = yield* Clock.currentTimeMillis
        const rows = ended.map((test) => ({ ...test, testId: TestId.of(test.testName), runId, commit, claim, at }))
        const stored = yield* store.record(ref, rows, at)
        // The check of the commit has a line about it; a repeated request repeats the notice.
        if (isCommitId(commit)) yield* notice(ref, commit)
        // A quarantine may end by it.
        yield* automation.notice(
          ref,
          ended.map(({ testName }) => testName)
        )
        return stored
      })

      const ofTest = Effect.fn("StressRuns.ofTest")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        yield* repository(ref)
        return yield* store.ofTest(ref, testId, mostShown)
      })

      return StressRuns.of({ record, ofTest })
    })
  ).pipe(Layer.provide(Automation.layer))
}
