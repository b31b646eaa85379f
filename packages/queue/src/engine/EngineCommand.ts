/**
 * Commands: what the engine wants done at the hosting platform.
 *
 * **Details**
 *
 * An id is made of the kind, the subject and a generation, so that equal logs give equal ids and a retry after a crash
 * carries the id of the first try. A command is executed at least once; the first answer counts. Every write is a
 * compare-and-set, has a deterministic name, or is an upsert.
 */
import { Schema } from "effect"
import { PullRequestNumber } from "../PullRequestNumber.ts"
import * as QueueRule from "../QueueRule.ts"
import { Text } from "@lazaret/domain"
import { Member, Pull, Sha, Tip } from "./Observation.ts"

const envelope = { id: Text.between(1, 500) }
const Names = Schema.Array(Text.between(1, 1000))
const message = { template: Schema.optionalKey(Schema.NullOr(QueueRule.settings.commitMessageTemplate)) }

/**
 * Schema of a command.
 *
 * **Details**
 *
 * - `build`: merges the members in order onto `onto` and says each step; a member that conflicts is left out. `inPlace`: a single
 *   head that descends from `onto` is the step itself. `template`: of the messages of the commits.
 * - `publish`: makes `branch` point to `sha`, so that its checks run.
 * - `discard`: cancels the runs of `branch`, closes its draft pull request and removes it.
 * - `read`: reads the pull requests and the base branch now.
 * - `rerun`: runs the failed `checks` of a commit again; done when their attempt is higher than `attempt`.
 * - `land`: moves the base branch from `from` to `to` if it still points to `from`. `closes`: the platform will not see by itself
 *   that the members are merged.
 * - `merge`: merges one pull request at its pinned head onto `from`.
 * - `set_check`: upserts the check `lazaret/queue` of a commit.
 * - `cancel`: cancels the runs of a commit; with `checks` only those that the checks are in. `tell`: upserts the comment of a pull request.
 *   `close`: closes one that landed as `sha`.
 * - `enqueue`, `dequeue`: put a pull request into the hosting platform's own queue, or take it out.
 */
export const EngineCommand = Schema.Union([
  Schema.Struct({
    ...envelope,
    kind: Schema.tag("build"),
    batch: Text.between(1, 255),
    onto: Sha,
    members: Schema.Array(Member),
    method: QueueRule.settings.mergeMethod,
    ...message,
    inPlace: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({ ...envelope, kind: Schema.tag("publish"), batch: Text.between(1, 255), branch: Sha, sha: Sha }),
  Schema.Struct({ ...envelope, kind: Schema.tag("discard"), branch: Sha }),
  Schema.Struct({ ...envelope, kind: Schema.tag("read"), numbers: Schema.Array(PullRequestNumber), round: Sha }),
  Schema.Struct({ ...envelope, kind: Schema.tag("rerun"), sha: Sha, attempt: Schema.Int, checks: Names }),
  Schema.Struct({
    ...envelope,
    kind: Schema.tag("land"),
    batch: Text.between(1, 255),
    members: Schema.Array(Member),
    from: Sha,
    to: Sha,
    tree: Sha,
    closes: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    ...envelope,
    kind: Schema.tag("merge"),
    batch: Text.between(1, 255),
    member: Member,
    from: Sha,
    tree: Sha,
    method: QueueRule.settings.mergeMethod,
    ...message
  }),
  Schema.Struct({
    ...envelope,
    kind: Schema.tag("set_check"),
    sha: Sha,
    state: Schema.Literals(["in_progress", "success", "failure"]),
    title: Schema.String
  }),
  Schema.Struct({ ...envelope, kind: Schema.tag("cancel"), sha: Sha, checks: Schema.optionalKey(Names) }),
  Schema.Struct({ ...envelope, kind: Schema.tag("tell"), number: PullRequestNumber, text: Schema.String }),
  Schema.Struct({ ...envelope, kind: Schema.tag("close"), number: PullRequestNumber, sha: Sha }),
  Schema.Struct({ ...envelope, kind: Schema.tag("enqueue"), member: Member }),
  Schema.Struct({ ...envelope, kind: Schema.tag("dequeue"), number: PullRequestNumber })
])

/** A command of the engine to the hosting platform. */
export type EngineCommand = typeof EngineCommand.Type

/** The command of one kind. */
export type Of<Kind extends EngineCommand["kind"]> = Extract<EngineCommand, { readonly kind: Kind }>

/** Schema of a step of a build: the commit and tree after one more member. */
export const Step = Schema.Struct({ number: PullRequestNumber, commit: Sha, tree: Sha })

/** A step of a build: the commit and tree after one more member. */
export type Step = typeof Step.Type

/**
 * Schema of the answer to a command that was executed.
 *
 * **Details**
 *
 * `landed` carries the tip that was read after the landing, which may be further; `merged` the commit and tree that the
 * merge made. In `built`, `conflicts` are members that were left out, `contained` members whose change is in `onto`.
 */
export const Answer = Schema.Union([
  Schema.Struct({ kind: Schema.tag("ok") }),
  Schema.Struct({
    kind: Schema.tag("built"),
    steps: Schema.Array(Step),
    conflicts: Schema.Array(PullRequestNumber),
    contained: Schema.Array(PullRequestNumber)
  }),
  Schema.Struct({ kind: Schema.tag("read"), pulls: Schema.Array(Pull), base: Tip }),
  Schema.Struct({ kind: Schema.tag("landed"), base: Tip }),
  Schema.Struct({ kind: Schema.tag("merged"), sha: Sha, tree: Sha, base: Tip })
])

/** The answer to a command that was executed. */
export type Answer = typeof Answer.Type

/**
 * Schema of why the hosting platform refused a command.
 *
 * **Details**
 *
 * `base_moved`: the base branch is not where the command expects it. `head_moved`: nor is the head of a pull request.
 * `rule`: a rule of the repository forbids it. `gone`: its subject does not exist; `not_yet`: it may soon. `not_possible`: anything else that a
 * retry does not change.
 */
export const RefusalReason = Schema.Literals(["base_moved", "head_moved", "rule", "gone", "not_yet", "not_possible"])

/** Why the hosting platform refused a command. */
export type RefusalReason = typeof RefusalReason.Type

/** Whether a command makes the commits or the branch of a batch. */
export const isBuild = (command: EngineCommand): command is Of<"build" | "publish"> =>
  command.kind === "build" || command.kind === "publish"

/** Whether a command changes anything at the hosting platform; a queue in the shadow only executes the others. */
export const isWrite = ({ kind }: EngineCommand): boolean => kind !== "read"

/** Whether a command is a write that has nothing to answer: the gate knows no other. */
export const isPlainWrite = (command: EngineCommand): boolean => isWrite(command) && !answered.has(command.kind)

const answered: ReadonlySet<EngineCommand["kind"]> = new Set(["build", "publish", "land", "merge"])
