/** The merge train of a branch, which is GitLab's own queue. */
import type { Repository } from "@lazaret/domain"
import type { QueueEntry } from "@lazaret/services"
import { Effect, Option, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"
import * as GitLabPulls from "./GitLabPulls.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

const Cars = Schema.Array(
  Schema.Struct({
    status: Schema.String,
    merge_request: Schema.Struct({ iid: Schema.Int }),
    pipeline: Schema.optionalKey(Schema.NullOr(Schema.Struct({ sha: Schema.String })))
  })
)

type Car = (typeof Cars.Type)[number]

/**
 * The entries of a train in their order; none when the branch has no train.
 *
 * **Details**
 *
 * Trains need GitLab Premium: where the project has none, GitLab answers with 403 or 404. The commit of an entry that is `stale`
 * is tested no more, because somebody ahead of it has left.
 */
export const ofBranch = Effect.fnUntraced(function* (client: Client, ref: Ref, branch: string) {
  const path = `/merge_trains/${encodeURIComponent(branch)}`
  const query = { scope: "active", sort: "asc", per_page: 100 }
  const cars = yield* GitLabCommits.orNone(
    GitLabClient.pages((page) => client.ask("queue", ref, { path, query: { ...query, page } }, Cars))
  ).pipe(Effect.catchIf(GitLabCommits.hasStatus(403), () => Effect.succeedNone))
  if (Option.isNone(cars)) return Option.none()
  const entries = yield* Effect.forEach(cars.value, (car) => entryOf(client, ref, car), { concurrency: 4 })
  return Option.some(entries.flat())
})

const entryOf = Effect.fnUntraced(function* (client: Client, ref: Ref, car: Car) {
  const { iid: number } = car.merge_request
  const pull = Option.getOrNull(yield* GitLabPulls.read(client, ref, number))
  if (pull === null || pull.sha === null) return []
  return [{ number, head: pull.sha, group: yield* groupOf(client, ref, car) } satisfies QueueEntry]
})

/** The commit of a merge that the train tests: its first parent is that of the entry ahead, or the tip of the branch. */
const groupOf = Effect.fnUntraced(function* (client: Client, ref: Ref, { pipeline = null, status }: Car) {
  if (pipeline === null || status === "stale") return null
  const tree = Option.getOrNull(yield* GitLabCommits.tree(client, ref, pipeline.sha))
  const [onto] = Option.getOrElse(yield* GitLabCommits.parents(client, ref, pipeline.sha), () => [])
  return tree === null || onto === undefined ? null : { id: pipeline.sha, tree, onto }
})
