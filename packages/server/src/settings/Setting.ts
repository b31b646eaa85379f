/** One setting of the server: its name, its kind, what holds where it is not set, and what it means. */
import type * as Kind from "./Kind.ts"

/**
 * A setting.
 *
 * **Details**
 *
 * - `name` is its name in the environment and in a configuration file.
 * - `absent` is its value where it is not set, and `shown` is that value for readers; empty where there is none.
 * - `meaning` is a Markdown phrase for the documentation.
 */
export interface Setting<A> {
  readonly name: string
  readonly kind: Kind.Kind<A>
  readonly absent: A
  readonly shown: string
  readonly meaning: string
}

/** The value of a setting. */
export type Value<S> = S extends Setting<infer A> ? A : never

/** A setting that has a value where it is not set. */
export const defaulted = <A extends string | number>(
  name: string,
  kind: Kind.Kind<A>,
  absent: NoInfer<A>,
  meaning: string
): Setting<A> => ({ name, kind, absent, shown: String(absent), meaning })

/** A setting that is null where it is not set. */
export const optional = <A>(name: string, kind: Kind.Kind<A>, meaning: string): Setting<A | null> => ({
  name,
  kind,
  absent: null,
  shown: "",
  meaning
})

/** The name of the variable that names the file which holds a secret setting; null for the others. */
export const fileVariable = ({ kind, name }: Setting<unknown>): string | null => (kind.isSecret ? `${name}_FILE` : null)
