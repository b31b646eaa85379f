/** The names behind surrogates: ids of executions and commits, as reports wrote them. */
import type { Health } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../append/Session.ts"
import * as Uploads from "../append/Uploads.ts"
import * as Surrogate from "../codec/Surrogate.ts"

/** Translates surrogates; each must have been asked for. */
export interface Names {
  readonly execution: (id: string) => string
  readonly commit: (name: string) => string
  readonly upload: (id: string) => Uploads.UploadFacts | undefined
}

/** The names behind the surrogates of executions and commits. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  wanted: { readonly executions: Iterable<string>; readonly commits: Iterable<string> }
) {
  const uploadNos = new Set([...wanted.executions].map(Surrogate.uploadOf))
  const commitNos = new Set([...wanted.commits].map(Surrogate.commitOf))
  const { commits, uploads } = yield* Uploads.facts(sql, repositoryId, uploadNos, commitNos)
  const names: Names = {
    execution: (id) => `${uploads.get(Surrogate.uploadOf(id))?.report_id ?? ""}.${Surrogate.ordinalOf(id)}`,
    commit: (name) => commits.get(Surrogate.commitOf(name)) ?? "",
    upload: (id) => uploads.get(Surrogate.uploadOf(id))
  }
  return names
})

/** The surrogates in marks. */
export const ofMarks = (marks: ReadonlyArray<Health.Mark | null>) => {
  const found = marks.filter((mark) => mark !== null)
  return { executions: found.map(({ id }) => id), commits: found.map(({ commit }) => commit) }
}

/** The surrogates in states. */
export const ofStates = (states: ReadonlyArray<Health.State>) => {
  const { commits, executions } = ofMarks(states.flatMap(({ episode, mover, onset }) => [episode, mover, onset]))
  const others = states.flatMap((state) => [
    ...state.commits,
    ...state.failedCommits,
    ...(state.passCommit === null ? [] : [state.passCommit])
  ])
  return { executions, commits: [...commits, ...others] }
}

/** A mark with its names. */
export const mark = (names: Names, { at, commit, id }: Health.Mark): Health.Mark => ({
  id: names.execution(id),
  at,
  commit: names.commit(commit)
})

/** A mark with its names, or none. */
export const markOrNull = (names: Names, found: Health.Mark | null): Health.Mark | null =>
  found === null ? null : mark(names, found)

/** A state with its names. */
export const state = (names: Names, found: Health.State): Health.State => ({
  ...found,
  mover: markOrNull(names, found.mover),
  episode: markOrNull(names, found.episode),
  onset: markOrNull(names, found.onset),
  commits: found.commits.map(names.commit),
  failedCommits: found.failedCommits.map(names.commit),
  passCommit: found.passCommit === null ? null : names.commit(found.passCommit)
})
