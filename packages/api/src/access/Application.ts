/** An application key on the wire: what reporters read to check their token. */
import { ApplicationKey } from "@lazaret/domain"
import { Schema } from "effect"

/**
 * The key of a request; never its secret.
 *
 * **Details**
 *
 * - `scope` is `ci` for a narrow key, too: reporters know these two. `narrow_scope` is present only for a narrow key.
 * - `account_scope` is the owner whose repositories the key reaches, `*` for all owners.
 */
export const Application = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scope: Schema.Literals(["admin", "ci"]),
  narrow_scope: Schema.optionalKey(
    ApplicationKey.NarrowScope.annotate({
      description: "Only for a narrow key: `upload` sends reports, `read` reads tests and quarantines."
    })
  ),
  account_scope: Schema.Struct({ id: Schema.String, login: Schema.String })
}).annotate({ identifier: "Application", description: "What the token is." })
