/** An application key on the wire: what reporters read to check their token. */
import type { Schemas } from "@lazaret/api"
import type { ApplicationKey } from "@lazaret/domain"

/** The key as the wire shows it. */
export const of = (key: ApplicationKey.ApplicationKey): typeof Schemas.Application.Type => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  account_scope: { id: (key.owner ?? "*").toLowerCase(), login: key.owner ?? "*" }
})
