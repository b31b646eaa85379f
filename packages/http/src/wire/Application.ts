/** An application key on the wire: what reporters read to check their token. */
import type { Schemas } from "@lazaret/api"
import { ApplicationKey } from "@lazaret/domain"
import { Schema } from "effect"

/** The key as the wire shows it. */
export const of = (key: ApplicationKey.ApplicationKey): typeof Schemas.Application.Type => ({
  id: key.id,
  name: key.name,
  scope: ApplicationKey.kindOf(key.scope),
  ...(isNarrow(key.scope) ? { narrow_scope: key.scope } : {}),
  account_scope: { id: (key.owner ?? "*").toLowerCase(), login: key.owner ?? "*" }
})

const isNarrow = Schema.is(ApplicationKey.NarrowScope)
