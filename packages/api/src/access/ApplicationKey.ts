/** Application keys on the wire, as those who hand them out see them (beyond the interface). */
import { ApplicationKey as Domain, Repository, Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** A key; never its secret. */
export const ApplicationKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  scope: Domain.Scope,
  owner: Schema.NullOr(Schema.String).annotate({
    description: "The owner of the repositories that the key may use; null means all owners."
  }),
  created_at: Timestamp,
  revoked_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ApplicationKey", description: "A key." })

/** A page of keys. */
export const ApplicationKeysPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  application_keys: Schema.Array(ApplicationKey),
  total: Schema.Int
}).annotate({ identifier: "ApplicationKeysPage", description: "A page of keys, and how many there are in all." })

/** The body that makes a key. The owner must be named, null too: nobody makes a key for all owners by oversight. */
export const CreateApplicationKey = Schema.Struct({
  name: Text.between(1, 255).check(
    Schema.makeFilter((name: string) =>
      name === Domain.firstAdminName
        ? "must be another: the server gives this name to the admin key it starts with"
        : undefined
    )
  ),
  scope: Domain.Scope,
  owner: Schema.NullOr(Repository.Owner)
}).annotate({ identifier: "CreateApplicationKey" })

/** A new key with its secret, which is shown this once. */
export const IssuedApplicationKey = Schema.Struct({
  ...ApplicationKey.fields,
  secret: Schema.String.annotate({ description: "What to send as the token; it is not kept and never shown again." })
}).annotate({ identifier: "IssuedApplicationKey", description: "The key was made." })
