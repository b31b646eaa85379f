/** Failures of triage, and the questions about them that the cases ask. */
import { type FailureFacts, FailurePolicy, type PullHead, type Report, type Repository } from "@lazaret/domain"
import { type StoreError, type Triage, type TriageSubject, TriageStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Sample from "../law/Sample.ts"

/** The windows of the default policy. */
export const windows = FailurePolicy.defaults

/** The facts on the failures of a subject. */
export const triage = (ref: Repository.RepositoryRef, subject: TriageSubject) =>
  TriageStore.use((store) => store.failures(ref, subject, windows))

/** The head of pull request 7, from a fork unless the parts say otherwise. */
export const headOf = (commit: string, parts: Partial<PullHead.PullHead> = {}): PullHead.PullHead => ({
  number: 7,
  commit,
  owner: "mallory",
  isFork: true,
  ...parts
})

/** The failures of a commit, which is the head of a pull request from a fork unless other heads are given. */
export const onCommit = (ref: Repository.RepositoryRef, commit: string, heads = [headOf(commit)]) =>
  triage(ref, { _tag: "Commit", commit, heads })

/** The branches of the runs that count, of those that do not, and of the failures. */
export const branchesOf = (found: Option.Option<Triage>) =>
  Option.map(found, ({ failures, forks, runs }) => [
    runs.map(({ branch }) => branch).toSorted(),
    forks.map(({ branch }) => branch).toSorted(),
    failures.map(({ failure }) => failure.branch)
  ])

/** The facts on the one failure of a commit. */
export const only = (
  ref: Repository.RepositoryRef,
  commit: string
): Effect.Effect<FailureFacts.FailureFacts, StoreError, TriageStore> =>
  Effect.flatMap(onCommit(ref, commit), (found) => {
    const failures = Option.match(found, { onNone: () => [], onSome: (one) => one.failures })
    const [facts] = failures
    return facts === undefined || failures.length > 1
      ? Effect.die(`${failures.length} failures on ${commit}`)
      : Effect.succeed(facts)
  })

/** An instant, in minutes after the noon of the samples. */
export const at = (minute: number) => ({ at: Sample.atMinute(minute) })

/** The branches of a pull request of the repository itself. */
export const pull = { branch: "topic", baseBranch: "main" }

/** A failure, at a minute after the noon of the samples. */
export const failed = (minute: number, parts: Partial<Report.Case> = {}) => Sample.failure({ ...at(minute), ...parts })

/** A question for the signatures of a test, up to a minute after the noon of the samples. */
export const until = (minute: number, testName = Sample.testName) => ({
  testName,
  until: Sample.atMinute(minute)
})

/** Two failures at a minute, of different tests with one message. */
export const both = (minute: number) => [failed(minute), failed(minute, { testName: "other" })]
