/**
 * Deliveries of GitLab's webhooks: a payload in, facts out.
 *
 * **Rules**
 *
 * - The payload says what it is about (`object_kind`), for hooks of projects, groups and the whole instance.
 * - No state is kept between deliveries, so their order and repetitions do not matter.
 *
 * @see https://docs.gitlab.com/user/project/integrations/webhook_events/
 */
import { PullRequestNumber, QueueCommand } from "@lazaret/queue"
import { JobTime, PullHead, PullRef, type Repository, Text } from "@lazaret/domain"
import { Option, Schema } from "effect"
import * as Delivery from "../github/Delivery.ts"
import * as Payload from "../github/Payload.ts"
import * as PushPayload from "../github/PushPayload.ts"
import * as Timestamp from "../text/Timestamp.ts"

/** The repository of the path of a project; none when no path of the interface can name it. */
export type RefOf = (path: string) => Option.Option<Repository.RepositoryRef>

/**
 * The facts in a delivery: `payload` is its body as JSON.
 *
 * @example
 * ```ts
 * import { GitLabWebhook } from "@lazaret/ingest"
 * import { Option, Result } from "effect"
 *
 * const reading = GitLabWebhook.read({ object_kind: "release" }, Option.none)
 * Result.flip(reading) // => Result.succeed({ kind: "ignored", reason: "Deliveries about \"release\" are not used here." })
 * ```
 */
export const read = (payload: unknown, refOf: RefOf): Delivery.Reading => {
  const kind = Option.getOrElse(kindOf(payload), () => ({ object_kind: "" })).object_kind
  const reader = readers.get(kind)
  if (reader === undefined) {
    return Delivery.ignored(`Deliveries about "${Payload.excerpt(kind, 100)}" are not used here.`)
  }
  const path = Option.map(pathOf(payload), ({ project }) => project.path_with_namespace)
  const ref = Option.flatMap(path, refOf)
  if (Option.isSome(path) && Option.isNone(ref)) {
    return Delivery.ignored(
      `The project "${Payload.excerpt(path.value, 200)}" has no path here: name its group with LAZARET_GITLAB_GROUPS.`
    )
  }
  return reader(Option.getOrElse(ref, () => unnamed))(payload)
}

/** A payload without the path of its project is malformed, whatever its repository is. */
const unnamed = { owner: "", repository: "" }

const kindOf = Schema.decodeUnknownOption(Schema.Struct({ object_kind: Schema.String }))

const pathOf = Schema.decodeUnknownOption(
  Schema.Struct({ project: Schema.Struct({ path_with_namespace: Schema.String }) })
)

const Project = Schema.Struct({ path_with_namespace: Schema.String, default_branch: Payload.maybe(Payload.Branch) })

const Labels = Schema.Array(Schema.Struct({ title: Schema.String }))

const MergeRequest = Schema.Struct({
  user: Schema.Struct({ id: Schema.Int, username: Schema.String }),
  project: Project,
  object_attributes: Schema.Struct({
    id: Schema.Int,
    iid: Schema.Int,
    title: Schema.String,
    action: Schema.optionalKey(Schema.String),
    oldrev: Payload.maybe(Schema.String),
    author_id: Schema.Int,
    merge_commit_sha: Payload.maybe(Payload.Sha),
    source_project_id: Payload.maybe(Schema.Int),
    target_project_id: Payload.maybe(Schema.Int),
    source: Payload.maybe(Schema.Struct({ path_with_namespace: Text.between(3, 1000) })),
    last_commit: Schema.Struct({ id: Payload.Sha })
  }),
  changes: Payload.maybe(Schema.Struct({ labels: Payload.maybe(Schema.Struct({ previous: Labels, current: Labels })) }))
})

/**
 * The facts in a payload about a merge request.
 *
 * **Details**
 *
 * - `open`, `reopen`, and `update` with another head: the head commit, whose report is wanted.
 * - `merge`: which commit the merge request brought: the one of the merge, else its head (a fast-forward merge makes none). The
 *   payload names its author by number alone, so the fact is complete only when the author merged it; the platform tells the others.
 * - `update` with other labels, all of which one delivery names: a person may ask the merge queue by one of them.
 */
const ofMergeRequest = (ref: Repository.RepositoryRef) =>
  Delivery.reader(MergeRequest, ({ changes, object_attributes: attributes, project, user }) => {
    const { action = "", author_id: author, id, iid, last_commit: head, merge_commit_sha: merge, title } = attributes
    const defaultBranch = project.default_branch ?? null
    if (action === "merge") {
      const number = { id, number: iid, title: Payload.excerpt(title, 10_000) }
      const pull =
        author === user.id ? asPullRef({ ...number, user: { id: user.id, login: user.username } }) : Option.none()
      const pulls = Option.match(pull, {
        onNone: () => [],
        onSome: (each) => [{ commit: merge ?? head.id, pull: each }]
      })
      return Delivery.make(ref, { pulls, defaultBranch })
    }
    const isHead = action === "open" || action === "reopen" || (action === "update" && (attributes.oldrev ?? "") !== "")
    const asked = isBot(user.username) ? null : labelled(changes?.labels ?? null)
    if (!isHead && asked === null) return Delivery.ignored("The head of the merge request has not changed.")
    const by = { number: iid, author: author === user.id ? user.username : null, by: user.username }
    return Delivery.make(ref, {
      ...(isHead && { heads: [head.id], pullHeads: headsOf(attributes) }),
      ...(asked !== null && { asked: { ...by, how: asked } }),
      defaultBranch
    })
  })

/** The labels that were added and removed; null for none. */
const labelled = (labels: { readonly previous: typeof Labels.Type; readonly current: typeof Labels.Type } | null) => {
  const [before = [], after = []] = [labels?.previous, labels?.current].map((each) => each?.map(({ title }) => title))
  const added = after.filter((title) => !before.includes(title))
  const removed = before.filter((title) => !after.includes(title))
  return added.length + removed.length === 0 ? null : ({ _tag: "Labels", added, removed } as const)
}

/** The accounts that GitLab makes for the tokens of projects and groups, ours among them. */
const isBot = (username: string): boolean => /^(?:project|group)_\d+_bot/u.test(username)

const Note = Schema.Struct({
  user: Schema.Struct({ id: Schema.Int, username: Text.between(1, 255) }),
  object_attributes: Schema.Struct({
    id: Schema.Int,
    note: Schema.String,
    noteable_type: Schema.String,
    action: Payload.maybe(Schema.String),
    system: Payload.maybe(Schema.Boolean),
    created_at: Schema.String
  }),
  merge_request: Payload.maybe(
    Schema.Struct({ iid: PullRequestNumber.PullRequestNumber, author_id: Payload.maybe(Schema.Int) })
  )
})

/**
 * The commands in a new note on a merge request.
 *
 * **Details**
 *
 * A note that is edited later changes nothing. GitLab says who opened the merge request by number alone, so that the author is known
 * only where it is the one who wrote.
 */
const ofNote = (ref: Repository.RepositoryRef) =>
  Delivery.reader(Note, ({ merge_request: mergeRequest, object_attributes: note, user }) => {
    if (!mergeRequest || note.noteable_type !== "MergeRequest") {
      return Delivery.ignored("The note is not on a merge request.")
    }
    if ((note.action ?? "create") !== "create") return Delivery.ignored("Commands count when a note is created.")
    if (note.system === true || isBot(user.username)) return Delivery.ignored("Notes of bots hold no commands.")
    const commands = QueueCommand.parse(Payload.excerpt(note.note, longestNote))
    const at = instantOf(note.created_at)
    if (commands.length === 0 || at === null) return Delivery.ignored("The note holds no command.")
    const author = mergeRequest.author_id === user.id ? user.username : null
    const how = { _tag: "Comment", id: note.id, at, commands } as const
    return Delivery.make(ref, { asked: { number: mergeRequest.iid, author, by: user.username, how } })
  })

/** As many characters as GitHub takes; GitLab takes a million. */
const longestNote = 65_536

const headsOf = (given: (typeof MergeRequest.Type)["object_attributes"]): ReadonlyArray<PullHead.PullHead> => {
  const { iid: number, last_commit: head, source, source_project_id: from, target_project_id: to } = given
  if (!source || !from || !to) return []
  const owner = source.path_with_namespace.slice(0, source.path_with_namespace.lastIndexOf("/"))
  return decodeHeads([{ number, commit: head.id, owner, isFork: from !== to }]).pipe(Option.getOrElse(() => []))
}

const decodeHeads = Schema.decodeUnknownOption(Schema.Array(PullHead.PullHead))

const asPullRef = Schema.decodeUnknownOption(PullRef.PullRef)

const Pipeline = Schema.Struct({
  project: Project,
  object_attributes: Schema.Struct({
    id: Schema.Int,
    status: Schema.String,
    sha: Payload.Sha,
    name: Payload.maybe(Schema.String)
  }),
  builds: Payload.maybe(
    Schema.Array(
      Schema.Struct({
        name: Text.between(1, 10_000),
        duration: Payload.maybe(Schema.Finite),
        finished_at: Payload.maybe(Schema.String)
      })
    )
  )
})

/** The times of the jobs of a pipeline that are over; of a job that ran again, the last one counts. */
const jobTimesOf = (runId: string, { builds }: typeof Pipeline.Type): ReadonlyArray<JobTime.JobTime> =>
  (builds ?? []).flatMap(({ duration, finished_at: finished, name: jobName }) => {
    const end = instantOf(finished ?? "")
    if (duration === null || duration === undefined || end === null) return []
    return JobTime.of({ runId, runAttempt: 1, jobName }, { start: end - 1000 * duration, end }) ?? []
  })

/** The payloads of GitLab have times such as `2026-01-31 12:00:00 UTC`. */
const instantOf = (text: string) => Timestamp.parse(text.replace(/^(\S+) (\S+) UTC$/u, "$1T$2Z"))

/** A pipeline that waits for somebody (`manual`) has run its tests. */
const completed: ReadonlySet<string> = new Set(["success", "failed", "canceled", "manual"])

const running: ReadonlySet<string> = new Set(["created", "waiting_for_resource", "preparing", "pending", "running"])

/**
 * The facts in a payload about a pipeline: whether it is over, and its id when its archives can be read. A pipeline has no
 * attempts: one whose jobs run again counts as over.
 */
const ofPipeline = (ref: Repository.RepositoryRef) =>
  Delivery.reader(Pipeline, (payload) => {
    const { object_attributes: attributes, project } = payload
    const { id, name, sha, status } = attributes
    const isCompleted = completed.has(status)
    if (!isCompleted && !running.has(status)) return Delivery.ignored("The pipeline has neither begun nor ended.")
    const runId = String(id)
    const pipelineName = Payload.excerpt(name ?? "", 255)
    const jobTimes = isCompleted ? jobTimesOf(runId, payload) : []
    return Delivery.make(ref, {
      defaultBranch: project.default_branch ?? null,
      ciRun: {
        runId,
        pipelineName: pipelineName === "" ? unnamedPipeline : pipelineName,
        commit: sha,
        attempt: 1,
        state: isCompleted ? "over" : "running"
      },
      ...(isCompleted && { completedRun: runId }),
      ...(jobTimes.length > 0 && { jobTimes })
    })
  })

/** The name that uploaders give to the pipeline of a project that does not name it. */
const unnamedPipeline = "GitLab CI"

const Push = Schema.Struct({
  ref: Schema.String,
  project: Project,
  commits: PushPayload.Commits,
  total_commits_count: Payload.maybe(Schema.Int)
})

/**
 * The facts in a payload about a push: whether the configuration file has changed on the default branch.
 *
 * **Details**
 *
 * A payload names the newest 20 commits; of more of them the file may have changed in any
 * (https://docs.gitlab.com/user/project/integrations/webhook_events/#push-events).
 */
const ofPush = (ref: Repository.RepositoryRef) =>
  Delivery.reader(Push, ({ commits, project, ref: pushed, total_commits_count: total }) => {
    const { default_branch: defaultBranch = null } = project
    if (defaultBranch === null || pushed !== `refs/heads/${defaultBranch}`)
      return Delivery.ignored("The push is not one to the default branch.")
    const isConfigured = PushPayload.isConfigured(commits) || (total ?? 0) > (commits ?? []).length
    return Delivery.make(ref, {
      defaultBranch,
      configurationFile: isConfigured ? PushPayload.configurationFile : null
    })
  })

const readers: ReadonlyMap<string, (ref: Repository.RepositoryRef) => (payload: unknown) => Delivery.Reading> = new Map(
  [
    ["merge_request", ofMergeRequest],
    ["note", ofNote],
    ["pipeline", ofPipeline],
    ["push", ofPush]
  ]
)
