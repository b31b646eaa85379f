/**
 * Policies: groups of numbers that a repository can override. Each number has its title, reason, default and bounds in one
 * place; schemas, defaults, the settings form and the tables of the documentation are made from it.
 */
import { Record, Schema } from "effect"

/**
 * One number of a policy.
 *
 * **Details**
 *
 * `kind` is `count` for a whole number, `share` for a fraction and `amount` for a price. `minimum` and `maximum` are both allowed. `title` names the
 * number for a person, `reason` says in a sentence why its default is what it is.
 */
export interface Field {
  readonly kind: "count" | "share" | "amount"
  readonly default: number
  readonly minimum: number
  readonly maximum: number
  readonly title: string
  readonly reason: string
}

/** The numbers of one policy by name. */
export type Fields = Readonly<{ [name: string]: Field }>

/** Yields a whole number of a policy: its default, its bounds, its title and the reason for the default. */
export const count = (
  fallback: number,
  [minimum, maximum]: readonly [number, number],
  title: string,
  reason: string
): Field => ({ kind: "count", default: fallback, minimum, maximum, title, reason })

/** Yields a fraction from 0 to 1 of a policy. */
export const share = (fallback: number, title: string, reason: string): Field => ({
  kind: "share",
  default: fallback,
  minimum: 0,
  maximum: 1,
  title,
  reason
})

/** Yields a price from 0 to 1,000,000. */
export const amount = (fallback: number, title: string, reason: string): Field => ({
  kind: "amount",
  default: fallback,
  minimum: 0,
  maximum: 1_000_000,
  title,
  reason
})

/** Yields the schema of a policy; the title, the reason and the default of each number are its annotations. */
export const schema = <F extends Fields>(fields: F): Schema.Struct<{ readonly [K in keyof F]: Schema.Codec<number> }> =>
  Schema.Struct(Record.map(fields, schemaOf) as { readonly [K in keyof F]: Schema.Codec<number> })

/**
 * Yields the policy with every default.
 *
 * @example
 * ```ts
 * import { Policy } from "@lazaret/domain"
 *
 * const fields = { passes: Policy.count(10, [1, 1000], "Passes", "Nine are too few.") }
 * Policy.defaultsOf(fields) // => { passes: 10 }
 * ```
 */
export const defaultsOf = <F extends Fields>(fields: F): { readonly [K in keyof F]: number } =>
  Record.map(fields, (field) => field.default) as { readonly [K in keyof F]: number }

const schemaOf = ({ default: fallback, kind, maximum, minimum, reason, title }: Field): Schema.Codec<number> => {
  const range = Schema.isBetween({ minimum, maximum })
  const number = kind === "count" ? Schema.Int.check(range) : Schema.Finite.check(range)
  return number.annotate({ title, description: reason, default: fallback })
}
