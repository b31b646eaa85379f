/** Cases of the port of merge queues: the platform behind an adapter, and sentences of its law. */
import type { Repository } from "@lazaret/domain"
import type { Fault } from "@lazaret/forge-simulated"
import { QueueForge } from "@lazaret/services"
import { Context, Effect } from "effect"
import type { Need } from "./Case.ts"

/** A pull request that was opened. */
export interface Opened {
  readonly number: number
  readonly head: string
}

/** The words of a platform for a check that has ended. */
export type Conclusion = "success" | "failure" | "neutral" | "skipped" | "cancelled" | "timed_out"

/** A job of a workflow: it starts when the jobs that it needs have passed. */
export interface Job {
  readonly name: string
  readonly needs?: ReadonlyArray<string>
}

/** The checks that a branch requires: by rulesets, and by the older protection; `isOurs` binds one to this app. */
export interface Protection {
  readonly rulesets: ReadonlyArray<{ readonly name: string; readonly isOurs: boolean }>
  readonly older: ReadonlyArray<{ readonly name: string; readonly isOurs: boolean }>
  readonly hasQueue: boolean
  /** How the queue merges groups; the platform's defaults where it is absent. */
  readonly limits?: { readonly grouping: "all_green" | "head_green"; readonly minimum: number }
}

/**
 * The platform with a merge queue, as people, CI and the platform itself act on it.
 *
 * **Details**
 *
 * - `openPull`, `openDraft`: a new pull request onto the default branch, at a head of its own.
 * - `push`: gives it a new head, and yields that. `close`, `reopen`: a person does.
 * - `enter`, `leave`: a person puts it into the queue, or takes it out. `build`: the platform builds the groups that are missing.
 * - `merge`: the platform merges the group at the head of the queue.
 * - `lag`: checks of the groups that are built from now on are refused until five minutes have passed.
 * - `advance`: somebody pushes a commit onto the tip of the default branch, or (`isForced`) in its place; yields the commit.
 * - `check`: CI sets a check on a commit; null: it runs. Checks of one name are attempts of one job, except those of another
 *   `workflow`, whose job has the same name.
 * - `workflow`: a run of CI with jobs starts on a commit. `finish`: one of its jobs ends. `age`: days pass.
 * - `shown`: the conclusion of the queue's own check as people see it; null in progress, undefined without a check.
 * - `status`: CI sets a commit status. `protect`: sets the rules of the default branch. `rename`: gives the repository another name.
 * - `transfer`: the owner gives the repository to another account. `install`: that account installs the app.
 * - `attempts`, `isCancelled`: of the run of CI on a commit, when what was asked for has had its effect.
 * - `permit`: gives an account a permission.
 * - `grant`: the owner changes permissions of the app. `archive`, `suspend`: the owner archives the repository or suspends the app, or
 *   ends that.
 * - `pass`: five minutes pass, after which an adapter reads everything again.
 * - `fail`: makes the next request of any kind fail. `failWrite`: the next rerun.
 */
export class QueuePlatform extends Context.Service<
  QueuePlatform,
  {
    readonly ref: Repository.RepositoryRef
    readonly branch: string
    readonly openPull: Effect.Effect<Opened>
    readonly openDraft: Effect.Effect<Opened>
    readonly push: (number: number) => Effect.Effect<string>
    readonly close: (number: number) => Effect.Effect<void>
    readonly reopen: (number: number) => Effect.Effect<void>
    readonly enter: (number: number) => Effect.Effect<void>
    readonly leave: (number: number) => Effect.Effect<void>
    readonly build: Effect.Effect<void>
    readonly merge: Effect.Effect<void>
    readonly lag: Effect.Effect<void>
    readonly advance: (isForced: boolean) => Effect.Effect<string>
    readonly check: (sha: string, name: string, conclusion: Conclusion | null, workflow?: number) => Effect.Effect<void>
    readonly status: (sha: string, name: string, state: "success" | "failure" | "pending") => Effect.Effect<void>
    readonly protect: (protection: Protection) => Effect.Effect<void>
    readonly rename: Effect.Effect<void>
    readonly transfer: Effect.Effect<void>
    readonly install: Effect.Effect<void>
    readonly workflow: (sha: string, jobs: ReadonlyArray<Job>) => Effect.Effect<void>
    readonly finish: (sha: string, job: string, conclusion: Conclusion) => Effect.Effect<void>
    readonly age: (days: number) => Effect.Effect<void>
    readonly shown: (sha: string) => Effect.Effect<"success" | "failure" | null | undefined>
    readonly attempts: (sha: string) => Effect.Effect<number>
    readonly isCancelled: (sha: string) => Effect.Effect<boolean>
    readonly permit: (account: string, permission: "read" | "write") => Effect.Effect<void>
    readonly grant: (permissions: Readonly<Record<string, "read" | "write">>) => Effect.Effect<void>
    readonly archive: (isArchived: boolean) => Effect.Effect<void>
    readonly suspend: (isSuspended: boolean) => Effect.Effect<void>
    readonly fail: (fault: Fault.Fault) => Effect.Effect<void>
    readonly pass: Effect.Effect<void>
    readonly failWrite: (fault: Fault.Fault) => Effect.Effect<void>
  }
>()("@lazaret/forge-conformance/QueuePlatform") {}

/** One sentence of the law of merge queues, and its proof. */
export interface QueueCase {
  readonly name: string
  readonly needs: ReadonlyArray<Need>
  readonly run: Effect.Effect<void, unknown, QueueForge | QueuePlatform>
}

/** A case over both ports. */
export const make = (
  name: string,
  run: (forge: QueueForge["Service"], platform: QueuePlatform["Service"]) => Effect.Effect<void, unknown>,
  needs: ReadonlyArray<Need> = []
): QueueCase => ({
  name,
  needs,
  run: Effect.flatMap(Effect.all([QueueForge, QueuePlatform]), ([forge, platform]) => run(forge, platform))
})
