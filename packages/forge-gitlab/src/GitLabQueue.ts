/** Merge requests, pipelines and merge trains of GitLab, for the engines that read a merge queue or drive one. */
import type { Repository } from "@lazaret/domain"
import { type Forge, ForgeError, type OpenPullSnapshot, QueueForge } from "@lazaret/services"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import * as GitLabChecks from "./GitLabChecks.ts"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"
import * as GitLabPulls from "./GitLabPulls.ts"
import * as GitLabRules from "./GitLabRules.ts"
import * as GitLabRuns from "./GitLabRuns.ts"
import * as GitLabTrains from "./GitLabTrains.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** The port with a client. Reports are published as any other. */
export const make = (client: Client, forge: Forge["Service"]) => {
  const checks = keptChecks(client)
  return QueueForge.of({
    pull: (ref, number) =>
      Effect.flatMap(GitLabPulls.read(client, ref, number), (found) =>
        Option.isNone(found)
          ? Effect.succeedNone
          : Effect.map(GitLabPulls.snapshotOf(client, ref, found.value), (pull) => Option.some(pull))
      ),

    openPulls: Effect.fnUntraced(function* (ref, branch) {
      const query = { state: "opened", target_branch: branch, per_page: 100 }
      const open = yield* GitLabClient.pages((page) =>
        client.ask(
          "openPulls",
          ref,
          { path: "/merge_requests", query: { ...query, page } },
          Schema.Array(GitLabPulls.MergeRequest)
        )
      )
      // The branch of a filter that is empty would be any branch.
      const here = open.filter((pull) => pull.target_branch === branch)
      return yield* Effect.forEach(
        here,
        (each) =>
          Effect.gen(function* () {
            const pull = yield* GitLabPulls.snapshotOf(client, ref, each)
            return { ...pull, checks: each.sha === null ? [] : yield* checks(ref, each.sha) } satisfies OpenPullSnapshot
          }),
        { concurrency: 4 }
      )
    }),

    checks: (ref, sha) => GitLabChecks.ofCommit(client, ref, sha),

    queue: (ref, branch) => GitLabTrains.ofBranch(client, ref, branch),

    tip: Effect.fnUntraced(function* (ref, branch, known) {
      const sha = yield* GitLabCommits.branch(client, ref, branch)
      if (sha === null) return Option.none()
      const tree = yield* GitLabCommits.tree(client, ref, sha)
      const isKept = known === null || (yield* GitLabCommits.contains(client, ref, sha, known))
      return Option.map(tree, (name) => ({ sha, tree: name, isRewritten: !isKept }))
    }),

    rules: (ref, branch) => GitLabRules.ofBranch(client, ref, branch),

    permission: (ref, account) => permission(client, ref, account),

    // GitLab's limits are by the minute, and a sweep is far below them.
    sweepAt: () => Effect.succeed(0),

    setCheck: (ref, { conclusion, name, sha, title, url }) =>
      forge.publish(ref, { name, commit: sha, conclusion, title, summary: title, annotations: [], actions: [], url }),

    runsInProgress: (ref, sha) =>
      Effect.map(GitLabRuns.of(client, ref, { sha }), (pipelines) => pipelines.some(GitLabRuns.isActive)),

    rerun: (ref, asked) => GitLabChecks.rerun(client, ref, asked),

    cancel: (ref, sha) => Effect.asVoid(GitLabRuns.cancel(client, ref, { sha })),

    cancelChecks: (ref, sha, names) => GitLabChecks.cancel(client, ref, sha, names),

    enqueue: (ref) => Effect.fail(readOnly("enqueue", ref)),

    dequeue: (ref) => Effect.fail(readOnly("dequeue", ref))
  })
}

const readOnly = (operation: string, { owner, repository }: Ref) =>
  new ForgeError({
    operation,
    owner,
    repository,
    reason: "refused",
    retryAt: null,
    message: "merge trains are read, and not written: use mode mirror, or drive"
  })

// --- permissions -------------------------------------------------------------------------------------------------

const Users = Schema.Array(Schema.Struct({ id: Schema.Int, username: Schema.String }))

const Member = Schema.Struct({ state: Schema.String, access_level: Schema.Int })

const Project = Schema.Struct({ visibility: Schema.optionalKey(Schema.String) })

/** A developer (30) or above writes. Everybody reads a public project, and members read any other. */
const permission = Effect.fnUntraced(function* (client: Client, ref: Ref, account: string) {
  const query = { username: account }
  const { body } = yield* client.ask("permission", ref, { project: null, path: "/users", query }, Users)
  const user = body.find(({ username }) => username.toLowerCase() === account.toLowerCase())
  if (user === undefined) return "none" as const
  const member = yield* GitLabCommits.orNone(client.ask("permission", ref, { path: `/members/all/${user.id}` }, Member))
  const level = Option.isSome(member) && member.value.body.state === "active" ? member.value.body.access_level : 0
  if (level >= 30) return "write" as const
  if (level >= 20) return "read" as const
  const { body: project } = yield* client.ask("permission", ref, { path: "" }, Project)
  return project.visibility === "public" ? ("read" as const) : ("none" as const)
})

// --- the checks of many heads ------------------------------------------------------------------------------------

/** The time, in milliseconds, after which the checks of a head that have ended are read again; people run red ones again. */
const lasting = { red: Duration.toMillis(Duration.minutes(1)), green: Duration.toMillis(Duration.minutes(5)) }

/** The most heads that are remembered. */
const mostHeads = 1000

/** Reads the checks of heads, and remembers those that have ended. */
const keptChecks = (client: Client) => {
  const known = new Map<string, { readonly until: number; readonly checks: OpenPullSnapshot["checks"] }>()
  return Effect.fnUntraced(function* (ref: Ref, sha: string) {
    const key = `${ref.owner}/${ref.repository}/${sha}`.toLowerCase()
    const now = yield* Clock.currentTimeMillis
    const kept = known.get(key)
    if (kept !== undefined && kept.until > now) return kept.checks
    const checks = yield* GitLabChecks.ofCommit(client, ref, sha)
    known.delete(key)
    if (checks.length > 0 && checks.every(({ state }) => state !== "pending")) {
      const isGreen = checks.every(({ state }) => state === "success")
      known.set(key, { until: now + lasting[isGreen ? "green" : "red"], checks })
      for (const oldest of [...known.keys()].slice(0, Math.max(known.size - mostHeads, 0))) known.delete(oldest)
    }
    return checks
  })
}
