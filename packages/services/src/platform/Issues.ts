/** The use case of reading issues: those of a repository, and why the last comparison with the tracker failed. */
import { type Repository, Text, type TestId, TestIssue } from "@lazaret/domain"
import { type IssueProgress, IssueStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"

/** Issues, the number of all, and the last comparison with the tracker; null before the first. */
export interface IssueListing {
  readonly issues: ReadonlyArray<TestIssue.TestIssue>
  readonly total: number
  readonly progress: IssueProgress | null
}

/** The most issues of one answer. */
export const mostIssues = 1000

/** Reads issues of tests. */
export class Issues extends Context.Service<
  Issues,
  {
    /** The issues of a repository, or of one test: open ones first, then those that were opened last; the first {@link mostIssues}. */
    readonly list: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId | null
    ) => Effect.Effect<IssueListing, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Issues") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Issues,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* IssueStore

      const list = Effect.fn("Issues.list")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId | null) {
        yield* repository(ref)
        const found = (yield* store.list(ref)).filter(
          (issue) => issue.testName !== "" && (testId === null || issue.testId === testId)
        )
        const progress = Option.getOrNull(yield* store.progress(ref))
        return { issues: found.toSorted(order).slice(0, mostIssues), total: found.length, progress }
      })

      return Issues.of({ list })
    })
  )
}

const order = (a: TestIssue.TestIssue, b: TestIssue.TestIssue): number =>
  Number(TestIssue.isOpen(b)) - Number(TestIssue.isOpen(a)) ||
  b.openedAt - a.openedAt ||
  Text.compare(a.testName, b.testName)
