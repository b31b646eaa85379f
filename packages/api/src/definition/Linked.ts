/** Pages of lists with a `Link` header (RFC 8288; interface 4 calls it RFC 5988). */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The schema of a page together with its `Link` header, which is absent when the list has no other page. */
export const linked = <S extends Schema.Top>(page: S) =>
  HttpApiSchema.WithHeaders(page, { link: Schema.optionalKey(Schema.String) })
