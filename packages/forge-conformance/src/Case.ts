/** Cases: each is one sentence of the law of the port, and the proof that an adapter keeps it. */
import { deepStrictEqual } from "node:assert/strict"
import type { Repository } from "@lazaret/domain"
import type { Fault } from "@lazaret/forge-simulated"
import type { Forge } from "@lazaret/services"
import { Context, Effect } from "effect"

/** The places of a publication at which a platform can fail. */
export const points = [
  "repository",
  "readReport",
  "writeReport",
  "readPulls",
  "readNotes",
  "createNote",
  "editNote",
  "removeNote"
] as const

/** One of these places. */
export type Point = (typeof points)[number]

/** The report on a commit, as people see it. */
export interface Shown {
  readonly conclusion: "success" | "failure" | null
  readonly title: string
}

/**
 * The platform behind an adapter, as people and the platform itself act on it.
 *
 * **Details**
 *
 * - `ref`: a repository that the adapter may write to; `unknown`: one that does not exist.
 * - `commit`: a new commit of the repository.
 * - `openPull`, `push`: a pull request from a branch of the repository to its default branch, and a new head of it.
 * - `shown`: the report "Lazaret" on a commit as people see it, null on a commit without one. A conclusion that lets merges pass
 *   is a success.
 * - `writes`: how many requests that write have arrived.
 * - `fail`: makes the next request at a point fail; `heal` removes the failures that no request met.
 * - `showsProgress`: whether a report without a conclusion is shown.
 * - `secrets`: texts that no error may hold.
 */
export class Platform extends Context.Service<
  Platform,
  {
    readonly ref: Repository.RepositoryRef
    readonly unknown: Repository.RepositoryRef
    readonly defaultBranch: string
    readonly showsProgress: boolean
    readonly secrets: ReadonlyArray<string>
    readonly commit: Effect.Effect<string>
    readonly openPull: (head: string) => Effect.Effect<number>
    readonly push: (pull: number, head: string) => Effect.Effect<void>
    readonly shown: (commit: string) => Effect.Effect<Shown | null>
    readonly notes: (pull: number) => Effect.Effect<ReadonlyArray<string>>
    readonly noteOfOthers: (pull: number, body: string) => Effect.Effect<void>
    readonly failRun: (commit: string) => Effect.Effect<void>
    readonly writes: Effect.Effect<number>
    readonly fail: (point: Point, fault: Fault.Fault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@lazaret/forge-conformance/Platform") {}

/**
 * An ability that a case needs of the platform besides requests with a token. A simulated platform has them all.
 */
export type Need = keyof typeof needs

/** The abilities, each in words that complete "it needs". */
export const needs = {
  app: "credentials of an app, which know where it is installed",
  faults: "failures on demand: before and after the effect of a write, limits, reads that lag",
  time: "the clock of the platform: days that pass, and a queue that waits for the next step",
  others: "a second account that writes comments",
  accounts: "accounts whose permissions can be changed",
  runs: "runs of workflows whose jobs end as the suite says",
  suites: "two check suites of one commit, as two workflows have them",
  checks: "check runs of CI, which only apps may write",
  queue: "a merge queue on the default branch, where lazaret/queue is the one required check",
  rules: "rules of branches that can be changed",
  rename: "a name of the repository that can be changed",
  transfer: "a second account, to which the repository can be given",
  pipelines: "pipelines of merge requests, of several kinds",
  owner: "permissions of the app, and a state of the repository, that can be changed",
  bulk: "more than 200 writes, which take a platform with limits for people many minutes"
} as const

/** One sentence of the law, and its proof. It makes its own commits and pull requests. */
export interface Case {
  readonly name: string
  readonly needs: ReadonlyArray<Need>
  readonly run: Effect.Effect<void, unknown, Platform | Forge>
}

/** Fails with what differs. */
export const equal = <A>(actual: A, expected: NoInfer<A>, what: string): Effect.Effect<void, Violation> =>
  Effect.try({
    try: () => deepStrictEqual(actual, expected),
    catch: (difference) => ({ _tag: "Violation", what, difference: String(difference) }) as const
  })

/** The difference between the answer of an adapter and a law. */
export interface Violation {
  readonly _tag: "Violation"
  readonly what: string
  readonly difference: string
}
