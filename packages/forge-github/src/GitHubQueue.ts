/** The merge queue of the hosting platform GitHub, for the engines that read it and act as its gate. */
import type { Repository } from "@lazaret/domain"
import { type Forge, type QueueEntry, QueueForge } from "@lazaret/services"
import { Effect, Option, Schema } from "effect"
import * as GitHubChecks from "./GitHubChecks.ts"
import type * as GitHubClient from "./GitHubClient.ts"
import type * as GitHubGraphQl from "./GitHubGraphQl.ts"
import * as GitHubHeads from "./GitHubHeads.ts"
import * as GitHubPulls from "./GitHubPulls.ts"
import * as GitHubRemovals from "./GitHubRemovals.ts"
import * as GitHubReruns from "./GitHubReruns.ts"
import * as GitHubRules from "./GitHubRules.ts"
import * as GitHubTip from "./GitHubTip.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** The queue at a connection. Checks are set, and jobs run again, as for any report. */
export const make = (
  { credentials }: Pick<GitHubClient.Connection, "credentials">,
  client: Client,
  { forge, mutate, query }: GitHubGraphQl.Asking & { readonly forge: Forge["Service"] }
) => {
  const heads = GitHubHeads.make(client, query)

  const found = (operation: string, ref: Ref, number: number) =>
    Effect.map(query(operation, ref, { text: pullText, variables: { number }, answer: PullAnswer }), ({ repository }) =>
      Option.fromNullOr(repository?.pullRequest ?? null)
    )

  return QueueForge.of({
    pull: (ref, number) =>
      Effect.map(
        query("pull", ref, { text: removedText, variables: { number }, answer: RemovedAnswer }),
        ({ repository }) =>
          Option.map(Option.fromNullOr(repository?.pullRequest ?? null), (pull) => ({
            ...GitHubPulls.snapshotOf(pull),
            removal: GitHubRemovals.of(pull.timelineItems.nodes)
          }))
      ),

    openPulls: (ref, branch) => heads.of(ref, branch),

    checks: (ref, sha) => GitHubChecks.ofCommit(client, ref, sha),

    queue: Effect.fnUntraced(function* (ref, branch) {
      const entries: Array<QueueEntry> = []
      let after: string | null = null
      do {
        const answer: typeof QueueAnswer.Type = yield* query("queue", ref, {
          text: queueText,
          variables: { branch, after },
          answer: QueueAnswer
        })
        const queue = answer.repository?.mergeQueue ?? null
        if (queue === null) return Option.none()
        entries.push(...queue.entries.nodes.flatMap(entryOf))
        const { endCursor, hasNextPage } = queue.entries.pageInfo
        after = hasNextPage ? endCursor : null
      } while (after !== null && entries.length < mostEntries)
      return Option.some(entries.filter(isFirst))
    }),

    sweepAt: client.sweepAt,

    tip: (ref, branch, known) => GitHubTip.of(client, ref, branch, known),

    rules: (ref, branch) =>
      GitHubRules.ofBranch(client, ref, {
        branch,
        appId: credentials._tag === "App" ? credentials.appId : null,
        queue: Effect.map(
          query("rules", ref, { text: limitsText, variables: { branch }, answer: LimitsAnswer }),
          ({ repository }) => repository?.mergeQueue?.configuration ?? null
        )
      }),

    permission: (ref, account) =>
      client
        .ask("permission", ref, (kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/collaborators/{username}/permission", {
            ...at(ref),
            username: account,
            ...options
          })
        )
        .pipe(
          Effect.map(({ data }) => permissionOf(data.permission)),
          Effect.catchIf(
            ({ status }) => status === 404,
            () => Effect.succeed("none" as const)
          )
        ),

    setCheck: (ref, { conclusion, name, sha, title, url }) =>
      forge.publish(ref, { name, commit: sha, conclusion, title, summary: title, annotations: [], actions: [], url }),

    runsInProgress: (ref, sha) => GitHubReruns.isInProgress(client, ref, sha),

    rerun: (ref, asked) => GitHubReruns.ofChecks(client, ref, asked),

    cancel: (ref, sha) => Effect.asVoid(cancel(client, ref, sha)),

    cancelChecks: (ref, sha, checks) =>
      Effect.flatMap(GitHubChecks.results(client, ref, sha), (results) => {
        const suites = new Set(results.flatMap(({ name, suite }) => (checks.includes(name) ? [suite] : [])))
        return Effect.map(
          cancel(client, ref, sha, (suite) => suites.has(suite)),
          (count) => count > 0
        )
      }),

    enqueue: (ref, { head, number }) =>
      Effect.flatMap(found("enqueue", ref, number), (pull) =>
        Option.isNone(pull) || pull.value.isInMergeQueue
          ? Effect.void
          : mutate("enqueue", ref, enqueueText, { id: pull.value.id, head })
      ),

    dequeue: (ref, number) =>
      Effect.flatMap(found("dequeue", ref, number), (pull) =>
        Option.isNone(pull) || !pull.value.isInMergeQueue
          ? Effect.void
          : mutate("dequeue", ref, dequeueText, { id: pull.value.id })
      )
  })
}

/** GitHub shows `maintain` as `write` here, and `triage` as `read`. */
const permissionOf = (permission: string): "none" | "read" | "write" => {
  if (permission === "admin" || permission === "write") return "write"
  return permission === "read" ? "read" : "none"
}

const at = ({ owner, repository }: Ref) => ({ owner, repo: repository })

// --- documents ---------------------------------------------------------------------------------------------------

const pullText = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${GitHubPulls.fields} } }
}`

const removedText = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${GitHubPulls.fields} ${GitHubRemovals.fields} } }
}`

const queueText = `query ($owner: String!, $name: String!, $branch: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    mergeQueue(branch: $branch) {
      entries(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { state headCommit { oid tree { oid } } baseCommit { oid } pullRequest { number headRefOid } }
      }
    }
  }
}`

const limitsText = `query ($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    mergeQueue(branch: $branch) { configuration { checkResponseTimeout mergingStrategy minimumEntriesToMerge } }
  }
}`

const enqueueText = `mutation ($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { clientMutationId }
}`

const dequeueText = `mutation ($id: ID!) { dequeuePullRequest(input: { id: $id }) { clientMutationId } }`

// --- answers -----------------------------------------------------------------------------------------------------

const PullAnswer = Schema.Struct({
  repository: Schema.NullOr(Schema.Struct({ pullRequest: Schema.NullOr(GitHubPulls.Pull) }))
})

const RemovedAnswer = Schema.Struct({
  repository: Schema.NullOr(
    Schema.Struct({
      pullRequest: Schema.NullOr(
        Schema.Struct({
          ...GitHubPulls.Pull.fields,
          timelineItems: GitHubPulls.nodes(Schema.NullOr(GitHubRemovals.Event))
        })
      )
    })
  )
})

const Entry = Schema.Struct({
  state: Schema.String,
  headCommit: Schema.NullOr(GitHubPulls.Commit),
  baseCommit: Schema.NullOr(Schema.Struct({ oid: Schema.String })),
  pullRequest: Schema.NullOr(Schema.Struct({ number: Schema.Int, headRefOid: Schema.String }))
})

const PageInfo = Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Schema.NullOr(Schema.String) })

const queueOf = <S extends Schema.Top>(queue: S) =>
  Schema.Struct({ repository: Schema.NullOr(Schema.Struct({ mergeQueue: Schema.NullOr(queue) })) })

const QueueAnswer = queueOf(
  Schema.Struct({ entries: Schema.Struct({ nodes: Schema.Array(Entry), pageInfo: PageInfo }) })
)

const LimitsAnswer = queueOf(Schema.Struct({ configuration: Schema.NullOr(GitHubRules.Limits) }))

/** The most entries that are read of a queue. */
const mostEntries = 1000

const entryOf = ({ baseCommit: base, headCommit: head, pullRequest: pull, state }: typeof Entry.Type) => {
  if (pull === null) return []
  const group = head === null || base === null ? null : { id: head.oid, tree: head.tree.oid, onto: base.oid }
  const stuck = state === "UNMERGEABLE" ? { isUnmergeable: true } : {}
  return [{ number: pull.number, head: pull.headRefOid, group, ...stuck }]
}

/** A queue that moves between two pages shows an entry twice. */
const isFirst = ({ number }: QueueEntry, index: number, entries: ReadonlyArray<QueueEntry>): boolean =>
  entries.findIndex((entry) => entry.number === number) === index

// --- runs --------------------------------------------------------------------------------------------------------

/** Cancels what still runs for a commit in some suites; a run that has just ended needs nothing. Yields how many runs are in them. */
const cancel = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  sha: string,
  isMeant: (suite: string) => boolean = () => true
) {
  const { data } = yield* client.ask("cancel", ref, (kit, options) =>
    kit.request("GET /repos/{owner}/{repo}/actions/runs", { ...at(ref), head_sha: sha, per_page: 100, ...options })
  )
  const meant = data.workflow_runs.filter(({ check_suite_id: suite }) => isMeant(String(suite)))
  const running = meant.filter(({ status }) => status !== "completed")
  yield* Effect.forEach(
    running,
    ({ id }) =>
      Effect.catchIf(
        Effect.asVoid(
          client.write("cancel", ref, (kit, options) =>
            kit.request("POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel", {
              ...at(ref),
              run_id: Number(id),
              ...options
            })
          )
        ),
        ({ status }) => status === 409,
        () => Effect.void
      ),
    { discard: true }
  )
  return meant.length
})
