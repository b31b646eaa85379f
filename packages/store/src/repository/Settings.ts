/** The rule of stored settings: what an earlier version has not written has its default. */
import { FailureGate, Repository } from "@lazaret/domain"
import { Schema, SchemaTransformation } from "effect"

/** Schema of settings as they are stored, by this version or an earlier one. */
export const Stored: Schema.Codec<Repository.RepositorySettings, unknown> = Schema.Record(
  Schema.String,
  Schema.Unknown
).pipe(
  Schema.decodeTo(
    Schema.toType(Repository.RepositorySettings),
    SchemaTransformation.transform({
      decode: (stored) => ({
        ...Repository.defaultSettings,
        ...stored,
        gate: { ...FailureGate.defaults, ...gateOf(stored) }
      }),
      encode: (settings): { readonly [name: string]: unknown } => ({ ...settings })
    })
  )
)

const gateOf = ({ gate }: { readonly [name: string]: unknown }): object =>
  typeof gate === "object" && gate !== null ? gate : {}

/** The settings that are stored, with defaults for what is missing. */
export const decode = Schema.decodeUnknownEffect(Stored)
