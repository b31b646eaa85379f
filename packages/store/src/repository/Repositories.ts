/** Repositories over a driver. */
import { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
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

/** The port of repositories. */
export const make = (driver: Driver["Service"]): RepositoryStore["Service"] => {
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
        TestRows.removeAll(transaction, testId)
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
