/** Application keys on the wire, as those who hand them out see them (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { ApplicationKey } from "@lazaret/domain"
import type { IssuedKey, Listing, NewKey } from "@lazaret/services"
import { Redacted } from "effect"

/** A key as the wire shows it. */
const of = (key: ApplicationKey.ApplicationKey): typeof Schemas.ApplicationKey.Type => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  owner: key.owner,
  created_at: key.createdAt,
  revoked_at: key.revokedAt
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<ApplicationKey.ApplicationKey>): typeof Schemas.ApplicationKeysPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    application_keys: listing.rows.map(of),
    total: listing.total
  })

/** The key that a body asks for. */
export const newOf = ({ name, owner, scope }: typeof Schemas.CreateApplicationKey.Type): NewKey => ({
  name,
  owner,
  scope
})

/** A new key as the wire shows it. */
export const issuedOf = ({ key, secret }: IssuedKey): typeof Schemas.IssuedApplicationKey.Type => ({
  ...of(key),
  secret: Redacted.value(secret)
})
