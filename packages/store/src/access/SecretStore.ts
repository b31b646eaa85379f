/** The port of stored secrets as such: those of webhooks and notifiers. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The outcome of a renewal; `unknown` holds the ids of the keys of secrets that could not be opened, each once. */
export interface Renewal {
  readonly renewed: number
  readonly unknown: ReadonlyArray<string>
}

/** The port of stored secrets. */
export class SecretStore extends Context.Service<
  SecretStore,
  {
    /**
     * Seals every stored secret that is plain, or sealed with an older key, with the newest key of the `Sealer`. It changes
     * nothing else of a record, and no secret that it cannot open. Again, it changes nothing.
     */
    readonly renew: Effect.Effect<Renewal, StoreError>
  }
>()("@lazaret/store/SecretStore") {}
