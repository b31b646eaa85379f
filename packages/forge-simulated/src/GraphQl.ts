/** The GraphQL of the simulated GitHub: documents are validated against the schema that GitHub publishes. */
import { schema as description } from "@octokit/graphql-schema"
import { buildSchema, graphqlSync, type GraphQLSchema, parse, validate } from "graphql"
import type { Actor } from "./Actor.ts"
import * as Hub from "./Hub.ts"
import { isObject, type Json } from "./Json.ts"
import * as MergeQueue from "./MergeQueue.ts"
import { refusal, type Reply } from "./operations/Operation.ts"

/** The answer to a query, and what is wrong with the document. */
export interface Answered {
  readonly reply: Reply
  readonly faults: ReadonlyArray<string>
}

/** The state that is queried, and the account that queries it. */
interface Asked {
  readonly hub: Hub.Hub
  readonly actor: Actor
}

/** The schema has 1.5 MB, so all servers of a process share it. */
let schema: GraphQLSchema | null = null

const published = (): GraphQLSchema => {
  schema ??= buildSchema(description.idl, { assumeValid: true })
  return schema
}

/** Answers a query or a mutation about merge queues. */
export const answer = (asked: Asked, body: string): Answered => {
  const given: Json = JSON.parse(body)
  const source = isObject(given) && typeof given["query"] === "string" ? given["query"] : ""
  const variables = isObject(given) && isObject(given["variables"]) ? given["variables"] : {}
  const faults = validate(published(), parse(source)).map(({ message }) => `graphql: ${message}`)
  if (asked.actor._tag === "Refused") return { faults, reply: refusal(401, asked.actor.message) }
  if (faults.length > 0) return { faults, reply: { status: 200, members: { errors: faults } } }
  const { data, errors = [] } = graphqlSync({
    schema: published(),
    source,
    rootValue: rootOf(asked),
    variableValues: variables
  })
  const refusals = errors.map(({ message, originalError, path = [] }) => ({
    type: originalError instanceof Refused ? originalError.type : "UNPROCESSABLE",
    path: [...path],
    message
  }))
  const members = {
    // The result holds JSON alone, on objects without a prototype.
    data: JSON.parse(JSON.stringify(data ?? null)) as Json,
    ...(refusals.length === 0 ? {} : { errors: refusals })
  }
  return { faults, reply: { status: 200, members } }
}

interface Named {
  readonly owner: string
  readonly name: string
}

/** An error of GraphQL with its type, as GitHub adds it. */
class Refused extends Error {
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/**
 * The permissions of an app for a field or a mutation.
 *
 * **Details**
 *
 * GitHub publishes none for GraphQL. People who queue pull requests with an app ask for Contents: write and Pull requests: write
 * (Systemorph/MeshWeaver#3134; github/gh-stack#497: "passes the authorization check for the ordinary GraphQL enqueuePullRequest
 * mutation"), and mergePullRequest is refused with Contents: read (openemr/openemr#13619). This is the strictest reading;
 * unverified.
 */
const permitted = (actor: Actor, needs: Partial<Record<Hub.Permission, "read" | "write">>): void => {
  if (actor._tag !== "Installation") return
  const { permissions } = actor.app
  const isMissing = Object.entries(needs).some(([name, access]) =>
    access === "write" ? permissions[name] !== "write" : permissions[name] === undefined
  )
  if (isMissing) throw new Refused("FORBIDDEN", "Resource not accessible by integration")
}

const queueing = { contents: "write", pull_requests: "write" } as const

const rootOf = ({ actor, hub }: Asked) => ({
  repository: ({ name, owner }: Named) => {
    const repository = Hub.repositoryAt(hub, owner, name)
    if (repository === undefined || !mayRead(actor, repository)) {
      throw new Refused("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`)
    }
    return repositoryOf(repository, actor)
  },
  nodes: ({ ids }: { readonly ids: ReadonlyArray<string> }) => ids.map((id) => nodeWith({ actor, hub }, id)),
  enqueuePullRequest: ({ input }: { readonly input: { pullRequestId: string; expectedHeadOid?: string } }) => {
    const { pull, repository } = writable({ actor, hub }, input.pullRequestId)
    if (input.expectedHeadOid !== undefined && input.expectedHeadOid !== pull.head.sha) {
      throw new Error("Head branch was modified. Review and try the merge again.")
    }
    refuseEntry(repository, pull)
    MergeQueue.enter(repository, pull.number)
    return {}
  },
  updateRefs: ({ input }: { readonly input: { repositoryId: string; refUpdates: ReadonlyArray<RefUpdate> } }) => {
    const repository = repositoryWith({ actor, hub }, input.repositoryId)
    for (const update of input.refUpdates) moveRef(hub, repository, update)
    return {}
  },
  dequeuePullRequest: ({ input }: { readonly input: { id: string } }) => {
    const { pull, repository } = writable({ actor, hub }, input.id)
    const isQueued = repository.queue?.some(({ number }) => number === pull.number) === true
    if (!isQueued) throw new Error("Pull request is not in the merge queue")
    MergeQueue.leave(repository, pull.number, { at: Hub.now(hub), reason: "manual", by: "lazaret[bot]" })
    return {}
  }
})

/**
 * Refuses what does not fulfil the rules of the branch.
 *
 * **Details**
 *
 * A pull request enters the queue when it "has passed all required branch protection checks" (docs.github.com, "Managing a merge
 * queue"). The words are those of mergePullRequest as people quote them; unverified. A check that the head does not have at all
 * is not refused here.
 */
const refuseEntry = (repository: Hub.Repository, pull: Hub.Pull): void => {
  if (pull.state !== "open") throw new Error("Pull request is not open")
  if (pull.isDraft === true) throw new Error("Pull request is in draft state")
  if (pull.mergeable === "CONFLICTING") throw new Error("Pull request is not mergeable: the head has conflicts")
  if (pull.review === "REVIEW_REQUIRED" || pull.review === "CHANGES_REQUESTED")
    throw new Error("Pull request At least 1 approving review is required by reviewers with write access.")
  const red = MergeQueue.redOf(repository, pull.head.sha)
  if (red !== undefined) throw new Error(`Pull request Required status check "${red}" is failing.`)
}

interface RefUpdate {
  readonly name: string
  readonly beforeOid?: string | null
  readonly afterOid: string
}

/** The repository with an id that the actor may push to. */
const repositoryWith = ({ actor, hub }: Asked, id: string): Hub.Repository => {
  permitted(actor, { contents: "write" })
  const repository = hub.repositories.find((each) => repositoryIdOf(each) === id)
  const isOwn =
    repository !== undefined &&
    (actor._tag === "Installation"
      ? actor.installation.owner.toLowerCase() === repository.owner.toLowerCase()
      : actor._tag === "Person" && repository.tokens.get(actor.token) === "write")
  if (repository === undefined || !isOwn) {
    throw new Refused("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`)
  }
  if (repository.isArchived === true) throw new Refused("FORBIDDEN", "Repository was archived so is read-only.")
  return repository
}

/**
 * Moves a branch if it is where the update expects it.
 *
 * **Details**
 *
 * Without `force` only a descendant may follow; a rule of the branch that the app does not bypass refuses every direct push
 * (docs.github.com, "Available rules for rulesets": "Require a pull request before merging", "Restrict updates"). The words
 * are unverified.
 */
const moveRef = (hub: Hub.Hub, repository: Hub.Repository, { afterOid, beforeOid, name }: RefUpdate): void => {
  const branch = name.replace(/^refs\/heads\//u, "")
  const { history } = repository
  const rule = ["pull_request", "update", "merge_queue"].find((type) => Hub.ruleAgainst(repository, type) !== null)
  if (branch === repository.defaultBranch && rule !== undefined) {
    throw new Error(`Repository rule violations found: ${rule}`)
  }
  const red = branch === repository.defaultBranch ? MergeQueue.redOf(repository, afterOid) : undefined
  if (red !== undefined) throw new Error(`Repository rule violations found: Required status check "${red}"`)
  const at = Hub.branchesOf(repository).get(branch)
  const isForward = at === undefined || history === undefined || history.contains(afterOid, at)
  if (!isForward) throw new Error("Update is not a fast forward")
  const before = beforeOid === undefined || beforeOid === null ? undefined : beforeOid === Hub.first ? null : beforeOid
  if (!Hub.moveBranch(hub, repository, branch, { from: before, to: afterOid === Hub.first ? null : afterOid })) {
    throw new Error(`Reference update failed: expected ${beforeOid}, found ${at ?? "none"}`)
  }
}

/** The global id of a repository. */
const repositoryIdOf = ({ id }: Hub.Repository): string => `R_${id}`

const mayRead = (actor: Actor, { isPrivate, owner, tokens }: Hub.Repository): boolean => {
  if (actor._tag === "Person") return !isPrivate || tokens.has(actor.token)
  return !isPrivate || (actor._tag === "Installation" && actor.installation.owner.toLowerCase() === owner.toLowerCase())
}

/** The pull request with an id; for an unknown id, an error that the answer lists next to its others. */
const nodeWith = ({ actor, hub }: Asked, id: string) => {
  for (const repository of hub.repositories) {
    const pull = repository.pulls.find((each) => idOf(each) === id)
    if (pull !== undefined && mayRead(actor, repository))
      return { __typename: "PullRequest", ...pullOf(repository, pull) }
  }
  return new Refused("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`)
}

/** The pull request with an id that the actor may put into the queue. */
const writable = ({ actor, hub }: Asked, id: string) => {
  permitted(actor, queueing)
  for (const repository of hub.repositories) {
    const pull = repository.pulls.find((each) => idOf(each) === id)
    const isOwn =
      actor._tag === "Installation"
        ? actor.installation.owner.toLowerCase() === repository.owner.toLowerCase()
        : actor._tag === "Person" && repository.tokens.get(actor.token) === "write"
    if (pull === undefined || !isOwn) continue
    if (repository.isArchived === true) throw new Refused("FORBIDDEN", "Repository was archived so is read-only.")
    return { repository, pull }
  }
  throw new Refused("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`)
}

/** The global id of a pull request. */
export const idOf = ({ id }: Hub.Pull): string => `PR_${id}`

const commitOf = (repository: Hub.Repository, sha: string) => ({
  oid: sha,
  tree: { oid: MergeQueue.treeOf(repository, sha) }
})

const repositoryOf = (repository: Hub.Repository, actor: Actor) => ({
  id: repositoryIdOf(repository),
  pullRequest: ({ number }: { readonly number: number }) => {
    const pull = repository.pulls.find((each) => each.number === number)
    if (pull === undefined)
      throw new Refused("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`)
    return pullOf(repository, pull)
  },
  mergeQueue: ({ branch }: { readonly branch: string }) => {
    permitted(actor, { merge_queues: "read" })
    if (repository.queue === undefined || branch !== repository.defaultBranch) return null
    return {
      configuration: MergeQueue.configurationOf(repository),
      entries: (page: Page) => pageOf(repository.queue ?? [], page, (entry) => entryOf(repository, entry))
    }
  }
})

interface Page {
  readonly first?: number
  readonly after?: string | null
}

/** A page of a connection: its cursors are places in the list. */
const pageOf = <A, B>(list: ReadonlyArray<A>, { after, first = list.length }: Page, nodeOf: (item: A) => B) => {
  const start = Number(after ?? 0)
  const end = start + first
  return {
    nodes: list.slice(start, end).map(nodeOf),
    pageInfo: { hasNextPage: end < list.length, endCursor: String(end) }
  }
}

const entryOf = (repository: Hub.Repository, entry: Hub.QueueEntry) => {
  const { group, number } = entry
  const pull = repository.pulls.find((each) => each.number === number)
  const isUnmergeable = MergeQueue.isUnmergeable(repository, entry)
  return {
    state: isUnmergeable ? "UNMERGEABLE" : group === null ? "QUEUED" : "AWAITING_CHECKS",
    headCommit: group === null ? null : commitOf(repository, group.id),
    baseCommit: group === null ? null : commitOf(repository, group.onto),
    pullRequest: pull === undefined ? null : pullOf(repository, pull)
  }
}

const pullOf = (repository: Hub.Repository, pull: Hub.Pull) => ({
  id: idOf(pull),
  number: pull.number,
  state: pull.mergedAt !== null ? "MERGED" : pull.state === "open" ? "OPEN" : "CLOSED",
  isDraft: pull.isDraft === true,
  isInMergeQueue: repository.queue?.some(({ number }) => number === pull.number) === true,
  headRefOid: pull.head.sha,
  baseRefName: pull.base.ref,
  mergeable: pull.mergeable ?? mergeableOf(repository, pull),
  reviewDecision: pull.review ?? null,
  labels: { nodes: (pull.labels ?? []).map((name) => ({ name })) },
  mergeCommit: pull.mergeCommit === null ? null : commitOf(repository, pull.mergeCommit),
  timelineItems: ({ itemTypes = [], last }: { readonly itemTypes?: ReadonlyArray<string>; readonly last: number }) => {
    if (itemTypes.join() !== "REMOVED_FROM_MERGE_QUEUE_EVENT") throw new Error(`No events of ${itemTypes.join()}`)
    const events = (repository.removals ?? []).filter(({ number }) => number === pull.number)
    return { nodes: events.slice(-last).map(removalOf) }
  },
  commits: {
    nodes: [{ commit: { ...commitOf(repository, pull.head.sha), statusCheckRollup: rollup(repository, pull) } }]
  }
})

/** The mergeability of a pull request: where commits have contents, these decide. */
const mergeableOf = (
  repository: Hub.Repository,
  { base, head, state }: Hub.Pull
): "MERGEABLE" | "CONFLICTING" | "UNKNOWN" => {
  const { history } = repository
  if (history === undefined) return "MERGEABLE"
  if (state !== "open") return "UNKNOWN"
  const tip = Hub.branchesOf(repository).get(base.ref) ?? ""
  return history.contains(tip, head.sha) || history.merge(tip, head.sha) !== null ? "MERGEABLE" : "CONFLICTING"
}

const removalOf = ({ at, by, reason }: Hub.Removal) => ({
  __typename: "RemovedFromMergeQueueEvent",
  createdAt: at,
  reason,
  actor: { __typename: "Bot", login: by ?? "github-merge-queue" }
})

const rollup = (repository: Hub.Repository, { head }: Hub.Pull) => {
  const { checkRuns, statuses } = repository
  const runs = checkRuns.filter(({ headSha }) => headSha === head.sha).map((run) => checkRunOf(repository, run))
  const latest = new Map(runs.map((run) => [`${run.checkSuite.id} ${String(run.name)}`, run]))
  const contexts = statuses
    .filter(({ sha }) => sha === head.sha)
    .map(({ members }) => ({
      __typename: "StatusContext",
      context: members["context"],
      state: String(members["state"]).toUpperCase(),
      targetUrl: members["target_url"] ?? null
    }))
  const nodes = [...latest.values(), ...new Map(contexts.map((each) => [each.context, each])).values()]
  return nodes.length === 0 ? null : { contexts: (page: Page) => pageOf(nodes, page, (node) => node) }
}

const checkRunOf = (repository: Hub.Repository, run: Hub.CheckRun) => {
  const {
    conclusion,
    details_url: detailsUrl = "https://github.test/apps/lazaret",
    name,
    started_at: startedAt = null,
    status
  } = run.members
  return {
    __typename: "CheckRun",
    name,
    status: String(status ?? "queued").toUpperCase(),
    conclusion: conclusion === undefined ? null : String(conclusion).toUpperCase(),
    startedAt,
    url: Hub.pageOf(repository, run),
    detailsUrl,
    checkSuite: { id: `CS_${Hub.suiteOf(repository, run)}` }
  }
}
