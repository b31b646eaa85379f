/** A hosting platform in memory, which fails as a test wants it: before or after the effect of a request. */
import type { Repository } from "@lazaret/domain"
import { type CommitReport, Forge, ForgeError, type Note, type OpenPull } from "@lazaret/services"
import { Effect } from "effect"

/** A failure of the next request. */
export interface Fault {
  readonly when: "before" | "after"
  readonly reason: ForgeError["reason"]
  readonly retryAt?: number
}

/** The state of the platform: reports by commit, open pull requests, and notes by pull request. */
export interface SimpleForge {
  readonly reports: Map<string, CommitReport>
  readonly pulls: Array<OpenPull>
  readonly notes: Map<number, Array<Note>>
  readonly faults: Array<Fault | null>
  readonly writes: Array<string>
  readonly forge: Forge["Service"]
}

/** An empty platform. */
export const make = (): SimpleForge => {
  const state = {
    reports: new Map<string, CommitReport>(),
    pulls: new Array<OpenPull>(),
    notes: new Map<number, Array<Note>>(),
    faults: new Array<Fault | null>(),
    writes: new Array<string>()
  }
  let lastId = 0

  const run = <A>(operation: string, ref: Repository.RepositoryRef, effect: () => A) =>
    Effect.suspend(() => {
      const fault = state.faults.shift() ?? null
      if (fault?.when === "before") return Effect.fail(failure(operation, ref, fault))
      const answer = effect()
      return fault === null ? Effect.succeed(answer) : Effect.fail(failure(operation, ref, fault))
    })

  const write = (operation: string, ref: Repository.RepositoryRef, effect: () => void) =>
    run(operation, ref, () => {
      state.writes.push(operation)
      effect()
    })

  const notesOf = (pull: number) => state.notes.get(pull) ?? []

  const forge = Forge.of({
    repository: (ref) => run("repository", ref, () => ({ defaultBranch: "main" })),
    pullsAt: (ref, commit) => run("pullsAt", ref, () => state.pulls.filter(({ head }) => head === commit)),
    openPulls: (ref) => run("openPulls", ref, () => state.pulls),
    publish: (ref, report) =>
      JSON.stringify(state.reports.get(report.commit)) === JSON.stringify(report)
        ? run("publish", ref, () => {})
        : write("publish", ref, () => state.reports.set(report.commit, report)),
    notes: (ref, pull, marker) => run("notes", ref, () => notesOf(pull).filter(({ body }) => body.startsWith(marker))),
    createNote: (ref, pull, body) =>
      write("createNote", ref, () => {
        lastId += 1
        state.notes.set(pull, [...notesOf(pull), { id: lastId, body }])
      }),
    editNote: (ref, pull, note) =>
      write("editNote", ref, () =>
        state.notes.set(
          pull,
          notesOf(pull).map((each) => (each.id === note.id ? note : each))
        )
      ),
    removeNote: (ref, pull, id) =>
      write("removeNote", ref, () =>
        state.notes.set(
          pull,
          notesOf(pull).filter((each) => each.id !== id)
        )
      ),
    rerunFailedJobs: (ref) => run("rerunFailedJobs", ref, () => 0)
  })
  return { ...state, forge }
}

const failure = (operation: string, { owner, repository }: Repository.RepositoryRef, { reason, retryAt }: Fault) =>
  new ForgeError({ operation, owner, repository, reason, retryAt: retryAt ?? null, message: "it failed" })
