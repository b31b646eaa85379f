/** The port of repositories, and its rules over a driver: their settings, and which pull request brought which commit. */
import { type PullHead, type PullRef, Repository, type TestId } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { PullFact } from "../report/PullFact.ts"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { CauseStore } from "../insight/CauseStore.ts"
import { SlowerStore } from "../insight/SlowerStore.ts"
import * as TestRows from "../quarantine/TestRows.ts"
import {
  pullHeadOf,
  pullHeadRow,
  pullHeads,
  pullNumbers,
  pullOf,
  pullRow,
  pulls,
  repositories,
  type RepositoryRow
} from "../Rows.ts"

/**
 * The port of repositories.
 *
 * **Details**
 *
 * Every method takes the repository as the caller wrote it; owner and name match without regard to case. A repository
 * comes into being with the first accepted write of any port and keeps the spelling of that write.
 */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    /** The repository, none when nothing has ever been written for it. */
    readonly get: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Repository.Repository>, StoreError>
    /**
     * The version of everything that the ports keep of the repository, none when nothing has ever been written for it.
     *
     * **Laws**
     *
     * - While the version stays, every answer of every port stays, but for the passing of time.
     * - Every write changes it, to a version that the repository never had. A write that changes nothing may change it.
     */
    readonly version: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<string>, StoreError>
    /** Every repository, in the order of its key. */
    readonly list: Effect.Effect<ReadonlyArray<Repository.Repository>, StoreError>
    /**
     * Replaces the settings and yields the repository; creates it when it does not exist (`at` is then its creation).
     * Changed policies and a changed default branch hold for the whole kept history at once.
     */
    readonly set: (
      ref: Repository.RepositoryRef,
      settings: Repository.RepositorySettings,
      at: number
    ) => Effect.Effect<Repository.Repository, StoreError>
    /**
     * As `set`, with settings made from those that hold (the defaults for a repository that does not exist). Changes that
     * come at the same time follow one another: each is made from what the one before it has left.
     */
    readonly change: (
      ref: Repository.RepositoryRef,
      change: (settings: Repository.RepositorySettings) => Repository.RepositorySettings,
      at: number
    ) => Effect.Effect<Repository.Repository, StoreError>
    /**
     * Deletes a repository with everything that any port keeps of it, and yields whether it existed.
     *
     * **Laws**
     *
     * - From the deletion on, no question finds anything of it, and its log of events is empty; a later write creates a new
     *   repository, to which the same report is new.
     * - A write at the same time is deleted with the repository, or creates a new one: none is half there.
     * - When it is interrupted, the repository is whole or gone for every reader; the next `RetentionStore.tidy` frees what is
     *   left of its storage.
     */
    readonly remove: (ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
    /**
     * Deletes a test with everything that any port keeps of it, and yields whether there was something: executions on every branch,
     * health, failures, quarantines, verdicts on its failures and their marks, and the events about it. A test whose executions were
     * all dropped counts, too: runs remember it.
     *
     * **Laws**
     *
     * - From the deletion on, no question finds the test; all answers about other tests stay as they are, but for what compares
     *   their failures with failures of the deleted one.
     * - The record of an open issue stays without the name of the test, until its issue is closed (`IssueStore`).
     * - Job runs keep their totals and their judgement. The same report again is a duplicate; another report that names the test
     *   makes it new.
     */
    readonly removeTest: (ref: Repository.RepositoryRef, testId: TestId.TestId) => Effect.Effect<boolean, StoreError>
    /** Keeps facts; a later fact of the same commit replaces the earlier one. Creates the repository. */
    readonly recordPulls: (
      ref: Repository.RepositoryRef,
      facts: ReadonlyArray<PullFact>,
      at: number
    ) => Effect.Effect<void, StoreError>
    /** The known facts of these commits; a commit without one is absent. */
    readonly pulls: (
      ref: Repository.RepositoryRef,
      commits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, PullRef.PullRef>, StoreError>
    /** Keeps heads of pull requests, as the hosting platform names them. Does nothing for a repository that does not exist. */
    readonly recordHeads: (
      ref: Repository.RepositoryRef,
      heads: ReadonlyArray<PullHead.PullHead>
    ) => Effect.Effect<void, StoreError>
    /** The known heads with a commit, or of a pull request (at most 1,000 of them), by number, then by commit in code-point order. */
    readonly heads: (
      ref: Repository.RepositoryRef,
      of: Pick<PullHead.PullHead, "commit"> | Pick<PullHead.PullHead, "number">
    ) => Effect.Effect<ReadonlyArray<PullHead.PullHead>, StoreError>
    /** The commits that are known to belong to a pull request, at most 1,000 of them, in code-point order. */
    readonly commitsOf: (
      ref: Repository.RepositoryRef,
      number: number
    ) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** The number of the pull request that each commit is known to belong to, of several the highest; others are absent. */
    readonly numbersOf: (
      ref: Repository.RepositoryRef,
      commits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>, StoreError>
  }
>()("@lazaret/store/RepositoryStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): RepositoryStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): RepositoryStore["Service"] => {
  const change: RepositoryStore["Service"]["change"] = (ref, changed, at) =>
    driver.configure("RepositoryStore.set", ref, at, (held) => Effect.sync(() => changed(held)))

  return RepositoryStore.of({
    get: (ref) =>
      driver.read("RepositoryStore.get", null, (view) =>
        Effect.map(view.select(repositories, { where: [["key", "=", Repository.key(ref)]], order: [] }), ([row]) =>
          Option.map(Option.fromUndefinedOr(row), repositoryOf)
        )
      ),
    version: (ref) => driver.version("RepositoryStore.version", ref),
    list: driver.read("RepositoryStore.list", null, (view) =>
      Effect.map(view.select(repositories, { where: [], order: ["key"] }), (rows) => rows.map(repositoryOf))
    ),
    set: (ref, settings, at) => change(ref, () => settings, at),
    change,
    remove: (ref) => driver.erase("RepositoryStore.remove", ref),
    removeTest: (ref, testId) =>
      driver.forget("RepositoryStore.removeTest", ref, testId, (transaction) =>
        TestRows.removeAll(transaction, testId).pipe(
          Effect.tap(CauseStore.forget(transaction, testId)),
          Effect.tap(SlowerStore.forget(transaction, testId))
        )
      ),
    recordPulls: (ref, facts, at) =>
      driver.transact("RepositoryStore.recordPulls", ref, at, (transaction) =>
        Effect.andThen(
          transaction.put(pulls, facts.map(pullRow)),
          transaction.put(
            pullNumbers,
            facts.map(({ commit, pull: { number } }) => ({ commit, number }))
          )
        )
      ),
    pulls: (ref, commits) =>
      driver.read("RepositoryStore.pulls", ref, (view) =>
        Effect.map(
          view.select(pulls, { where: [["commit", "in", commits]], order: [] }),
          (rows) => new Map(rows.map((row) => [row.commit, pullOf(row)]))
        )
      ),
    recordHeads: (ref, heads) =>
      driver.transact("RepositoryStore.recordHeads", ref, null, (transaction) =>
        transaction.put(pullHeads, heads.map(pullHeadRow))
      ),
    heads: (ref, of) =>
      driver.read("RepositoryStore.heads", ref, (view) =>
        Effect.map(
          view.select(pullHeads, {
            where: ["commit" in of ? ["commit", "=", of.commit] : ["number", "=", of.number]],
            order: ["number", "commit"],
            limit: 1000
          }),
          (rows) => rows.map(pullHeadOf)
        )
      ),
    commitsOf: (ref, number) =>
      driver.read("RepositoryStore.commitsOf", ref, (view) =>
        Effect.map(
          view.select(pullNumbers, { where: [["number", "=", number]], order: ["commit"], limit: 1000 }),
          (rows) => rows.map(({ commit }) => commit)
        )
      ),
    numbersOf: (ref, commits) =>
      driver.read("RepositoryStore.numbersOf", ref, (view) =>
        Effect.map(
          view.select(pullNumbers, { where: [["commit", "in", commits]], order: ["commit", "number"] }),
          (rows) => new Map(rows.map(({ commit, number }) => [commit, number]))
        )
      )
  })
}

const repositoryOf = ({ createdAt, owner, repository, settings }: RepositoryRow): Repository.Repository => ({
  owner,
  repository,
  createdAt,
  settings
})
