/** GitHub's event `installation`: an account installed the app, suspended it, or removed it. */
import { Repository } from "@lazaret/domain"
import { Result, Schema } from "effect"
import * as Delivery from "./Delivery.ts"

/** A change of an installation: the account, and the action of the event. */
export interface InstallationChange {
  readonly owner: string
  readonly name: (typeof names)[number]
}

const names = ["created", "deleted", "suspend", "unsuspend"] as const

const InstallationPayload = Schema.Struct({
  action: Schema.String,
  installation: Schema.Struct({ account: Schema.Struct({ login: Repository.Owner }) })
})

/** The change of a payload. Ignores other actions, such as accepted permissions: the server asks GitHub for these. */
export const read = Delivery.readerOf(
  InstallationPayload,
  ({ action, installation: { account } }): Result.Result<InstallationChange, Delivery.Unusable> => {
    const name = names.find((each) => each === action)
    return name === undefined
      ? Delivery.ignored("The installation keeps its state.")
      : Result.succeed({ owner: account.login, name })
  }
)
