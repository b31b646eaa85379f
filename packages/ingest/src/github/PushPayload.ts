/** GitHub's event `push`: the default branch has moved. */
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const Paths = Payload.maybe(Schema.Array(Schema.String))

const PushPayload = Schema.Struct({
  ref: Schema.String,
  commits: Payload.maybe(Schema.Array(Schema.Struct({ added: Paths, modified: Paths, removed: Paths }))),
  repository: Payload.PayloadRepository
})

/** The path of the file that configures the merge queue, from the root of the repository (our choice). */
export const configurationFile = ".lazaret/queue.yml"

/** The facts of a payload: the default branch, and whether the configuration file has changed on it. */
export const read = Delivery.reader(PushPayload, ({ commits, ref, repository }) => {
  const defaultBranch = repository.default_branch
  if (ref !== `refs/heads/${defaultBranch}`) return Delivery.ignored("The push is not one to the default branch.")
  const paths = (commits ?? []).flatMap(({ added, modified, removed }) => [added, modified, removed].flat())
  return Delivery.make(Payload.refOf(repository), {
    defaultBranch,
    configurationFile: paths.includes(configurationFile) ? configurationFile : null
  })
})
