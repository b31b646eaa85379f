/** Repositories in memory. */
import { Repository, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { RepositoryStore } from "../RepositoryStore.ts"
import * as MemoryState from "./MemoryState.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** The repository port over a memory state. */
export const make = (state: MemoryState.MemoryState): RepositoryStore["Service"] => {
  const change: RepositoryStore["Service"]["change"] = (ref, changed, at) =>
    Effect.suspend(() => {
      const settings = changed(MemoryState.find(state, ref)?.repository.settings ?? Repository.defaultSettings)
      return Effect.map(MemoryState.requireStorable("RepositoryStore.set", MemoryState.textsIn(settings)), () => {
        const entry = MemoryState.ensure(state, ref, at)
        RepositoryEntry.set(entry, settings)
        return entry.repository
      })
    })

  return RepositoryStore.of({
    get: (ref) => Effect.sync(() => Option.fromUndefinedOr(MemoryState.find(state, ref)?.repository)),
    list: Effect.sync(() =>
      [...state.repositories.values()]
        .map((entry) => entry.repository)
        .toSorted((a, b) => Text.compare(Repository.key(a), Repository.key(b)))
    ),
    set: (ref, settings, at) => change(ref, () => settings, at),
    change,
    recordPulls: (ref, facts, at) =>
      Effect.andThen(
        MemoryState.requireStorable(
          "RepositoryStore.recordPulls",
          facts.flatMap(({ commit, pull }) => [commit, pull.title, pull.user.login])
        ),
        Effect.sync(() => {
          const entry = MemoryState.ensure(state, ref, at)
          for (const { commit, pull } of facts) entry.pulls.set(commit, pull)
        })
      ),
    pulls: (ref, commits) =>
      Effect.sync(() => {
        const known = MemoryState.find(state, ref)?.pulls
        return new Map(
          commits.flatMap((commit) => {
            const pull = known?.get(commit)
            return pull === undefined ? [] : [[commit, pull] as const]
          })
        )
      })
  })
}
