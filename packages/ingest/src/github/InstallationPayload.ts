/** GitHub's event `installation`: an account installed the app, suspended it, or removed it. */
import { Repository } from "@lazaret/domain"
import { Result, Schema } from "effect"
import * as Delivery from "./Delivery.ts"

/** A change of an installation: the account, and its name. */
export interface InstallationChange {
  readonly owner: string
  readonly name: "created" | "deleted" | "suspend" | "unsuspend"
}

const InstallationPayload = Schema.Struct({
  action: Schema.String,
  installation: Schema.Struct({ account: Schema.Struct({ login: Repository.Owner }) })
})

const names = ["created", "deleted", "suspend", "unsuspend"] as const

/** The change of a payload; other actions say that permissions were accepted, which is read where it matters. */
export const read = Delivery.readerOf(
  InstallationPayload,
  ({ action, installation: { account } }): Result.Result<InstallationChange, Delivery.Unusable> => {
    const name = names.find((each) => each === action)
    return name === undefined
      ? Delivery.ignored("The installation keeps its state.")
      : Result.succeed({ owner: account.login, name })
  }
)
