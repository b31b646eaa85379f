/** GitHub's event `push`: the default branch has moved. */
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const Paths = Payload.maybe(Schema.Array(Schema.String))

/** Schema of the commits of a push: the paths that each changes. */
export const Commits = Payload.maybe(Schema.Array(Schema.Struct({ added: Paths, modified: Paths, removed: Paths })))

const PushPayload = Schema.Struct({
  ref: Schema.String,
  commits: Commits,
  repository: Payload.PayloadRepository
})

/** The path of the file that configures the merge queue, from the root of the repository (our choice). */
export const configurationFile = ".lazaret/queue.yml"

/** Whether commits change the configuration file. */
export const isConfigured = (commits: typeof Commits.Type | undefined): boolean =>
  (commits ?? []).some(({ added, modified, removed }) => [added, modified, removed].flat().includes(configurationFile))

/** The facts of a payload: the default branch, and whether the configuration file has changed on it. */
export const read = Delivery.reader(PushPayload, ({ commits, ref, repository }) => {
  const defaultBranch = repository.default_branch
  if (ref !== `refs/heads/${defaultBranch}`) return Delivery.ignored("The push is not one to the default branch.")
  return Delivery.make(Payload.refOf(repository), {
    defaultBranch,
    configurationFile: isConfigured(commits) ? configurationFile : null
  })
})
