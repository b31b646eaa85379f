/** GitHub's event `repository`: it has another name or owner, is read-only, or is gone. */
import { Repository } from "@lazaret/domain"
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const From = Payload.maybe(Schema.Struct({ login: Repository.Owner }))

const RepositoryPayload = Schema.Struct({
  action: Schema.String,
  repository: Payload.PayloadRepository,
  changes: Payload.maybe(
    Schema.Struct({
      repository: Payload.maybe(Schema.Struct({ name: Schema.Struct({ from: Repository.RepositoryName }) })),
      owner: Payload.maybe(Schema.Struct({ from: Schema.Struct({ organization: From, user: From }) }))
    })
  )
})

const kept: ReadonlySet<string> = new Set(["archived", "unarchived", "deleted"])

/**
 * The change of a payload, about the repository by the name that it had.
 *
 * **Details**
 *
 * The server keeps the data of a renamed repository under the old name until a person acts. It takes the new name for another
 * repository.
 */
export const read = Delivery.reader(RepositoryPayload, ({ action, changes, repository }) => {
  const ref = Payload.refOf(repository)
  const to = `${ref.owner}/${ref.repository}`
  const oldName = changes?.repository?.name.from
  if (action === "renamed" && oldName !== undefined) {
    return Delivery.make({ ...ref, repository: oldName }, { change: { name: action, to } })
  }
  const from = changes?.owner?.from
  const oldOwner = from?.organization?.login ?? from?.user?.login
  if (action === "transferred" && oldOwner !== undefined) {
    return Delivery.make({ ...ref, owner: oldOwner }, { change: { name: action, to } })
  }
  return kept.has(action)
    ? Delivery.make(ref, { change: { name: action, to: null } })
    : Delivery.ignored("The repository keeps its name, its owner and its state.")
})
