/** An application key on the wire: what reporters read to check their token. */
import { ApplicationKey } from "@lazaret/domain"
import { Schema } from "effect"

/**
 * The key of a request; never its secret.
 *
 * **Details**
 *
 * `account_scope` is the owner whose repositories the key reaches, `*` for all owners.
 */
export const Application = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scope: ApplicationKey.Scope,
  account_scope: Schema.Struct({ id: Schema.String, login: Schema.String })
}).annotate({ identifier: "Application", description: "What the token is." })
