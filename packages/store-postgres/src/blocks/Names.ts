/** The names behind surrogates: ids of executions and commits, as reports wrote them. */
import type { Health } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../repository/Session.ts"
import * as UploadFacts from "./UploadFacts.ts"
import * as Surrogate from "../codec/Surrogate.ts"

/** Translates surrogates to names. Every surrogate must be among those that were loaded. */
export interface Names {
  readonly execution: (id: Surrogate.Id) => string
  readonly commit: (commit: Surrogate.Commit) => string
  readonly upload: (id: Surrogate.Id) => UploadFacts.UploadFacts | undefined
}

/** The names behind the surrogates of executions and commits. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  wanted: { readonly executions: Iterable<Surrogate.Id>; readonly commits: Iterable<Surrogate.Commit> }
) {
  const uploadNos = new Set([...wanted.executions].map(Surrogate.uploadOf))
  const { commits, uploads } = yield* UploadFacts.select(sql, repositoryId, uploadNos, new Set(wanted.commits))
  const names: Names = {
    execution: (id) => `${uploads.get(Surrogate.uploadOf(id))?.report_id ?? ""}.${Surrogate.ordinalOf(id)}`,
    commit: (commit) => commits.get(commit) ?? "",
    upload: (id) => uploads.get(Surrogate.uploadOf(id))
  }
  return names
})

/** The surrogates in marks. */
export const ofMarks = (marks: ReadonlyArray<Surrogate.Mark | null>) => {
  const found = marks.filter((mark) => mark !== null)
  return { executions: found.map(({ id }) => id), commits: found.map(({ commit }) => commit) }
}

/** The surrogates in states. */
export const ofStates = (states: ReadonlyArray<Surrogate.State>) => {
  const marks = states.flatMap(({ episode, trigger, onset, opening }) => [episode, trigger, onset, opening])
  const { commits, executions } = ofMarks(marks)
  const others = states.flatMap((state) => [
    ...state.commits,
    ...state.failedCommits,
    ...[state.latest, state.passCommit].filter((commit) => commit !== null)
  ])
  return { executions, commits: [...commits, ...others] }
}

/** A mark with its names. */
export const mark = (names: Names, { at, commit, id }: Surrogate.Mark): Health.Mark => ({
  id: names.execution(id),
  at,
  commit: names.commit(commit)
})

/** A mark with its names, or null. */
export const markOrNull = (names: Names, found: Surrogate.Mark | null): Health.Mark | null =>
  found === null ? null : mark(names, found)

/** A state with its names. */
export const state = (names: Names, found: Surrogate.State): Health.State => ({
  ...found,
  trigger: markOrNull(names, found.trigger),
  episode: markOrNull(names, found.episode),
  onset: markOrNull(names, found.onset),
  opening: markOrNull(names, found.opening),
  latest: found.latest === null ? null : names.commit(found.latest),
  commits: found.commits.map(names.commit),
  failedCommits: found.failedCommits.map(names.commit),
  passCommit: found.passCommit === null ? null : names.commit(found.passCommit)
})
