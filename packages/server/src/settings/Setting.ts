/** One setting of the server: its name, its schema, its value when it is not set, and its meaning. */
import { Config, type Redacted, Schema } from "effect"
import type { SettingSchema } from "./SettingSchema.ts"

/**
 * A setting.
 *
 * **Details**
 *
 * - `name`: its name in the environment and in a configuration file.
 * - `config`: reads it; yields `absent` when it is not set.
 * - `absent`: its value when it is not set; `shown` is that value for readers, empty for null.
 * - `kind`: its kind of value for readers; `advice` is what to write instead of an invalid value.
 * - `isSecret`: no message shows its value, and `NAME_FILE` may name a file that holds it.
 * - `meaning`: a Markdown phrase for the documentation.
 */
export interface Setting<A> {
  readonly name: string
  readonly config: Config.Config<A>
  readonly absent: A
  readonly shown: string
  readonly kind: string
  readonly advice: string
  readonly isSecret: boolean
  readonly meaning: string
}

/** The value of a setting. */
export type Value<S> = S extends Setting<infer A> ? A : never

/** A setting with a value when it is not set. */
export const defaulted = <A extends string | number>(
  name: string,
  schema: SettingSchema<A>,
  absent: NoInfer<A>,
  meaning: string
): Setting<A> => ({
  ...documented(name, schema, meaning),
  config: read(name, schema, absent),
  absent,
  shown: String(absent)
})

/** A setting that is null when it is not set. */
export const optional = <A>(name: string, schema: SettingSchema<A>, meaning: string): Setting<A | null> => ({
  ...documented(name, schema, meaning),
  config: read<A | null>(name, schema, null),
  absent: null
})

/** A secret that is null when it is not set. */
export const secret = <A>(
  name: string,
  schema: SettingSchema<A>,
  meaning: string
): Setting<Redacted.Redacted<A> | null> => ({
  ...documented(name, schema, meaning),
  config: read<Redacted.Redacted<A> | null>(name, Schema.RedactedFromValue(schema), null),
  absent: null,
  isSecret: true
})

/** The name of the variable that names the file with the value of a secret. */
export const fileVariable = (secretName: string): string => `${secretName}_FILE`

const documented = (name: string, schema: SettingSchema<unknown>, meaning: string) => {
  const { expected: advice = "", title: kind = "" } = Schema.resolveAnnotations(schema) ?? {}
  return { name, kind, advice, meaning, shown: "", isSecret: false }
}

const read = <A>(name: string, schema: SettingSchema<A>, absent: A): Config.Config<A> =>
  Config.withDefault(Config.schema(schema, name), absent)
