/** Answers as plain JSON: the form in which two of them are compared and shown. */
import { Option } from "effect"

/**
 * Plain JSON that is equal for equal answers only.
 *
 * **Details**
 *
 * Fields are sorted by name, the entries of maps and sets by their text. Values that JSON does not have get a
 * form of their own: a missing option, `undefined`, a bigint, a date, a number that is not finite.
 *
 * @example
 * ```ts
 * import { Plain } from "@lazaret/store-conformance"
 * import { Option } from "effect"
 *
 * Plain.of({ b: Option.some(1), a: new Set(["y", "x"]) }) // => { a: { Set: ["x", "y"] }, b: { Some: 1 } }
 * Plain.text([1n, Number.NaN]) // => '[{"bigint":"1"},{"number":"NaN"}]'
 * ```
 */
export const of = (value: unknown): unknown => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (typeof value !== "object") return { [typeof value]: String(value) }
  if (Array.isArray(value)) return value.map(of)
  if (Option.isOption(value))
    return Option.match(value, { onNone: () => "None", onSome: (some) => ({ Some: of(some) }) })
  if (value instanceof Map) return { Map: sorted(Array.from(value, of)) }
  if (value instanceof Set) return { Set: sorted(Array.from(value, of)) }
  if (value instanceof Date) return { Date: value.getTime() }
  const fields = Object.entries(value).map(([name, field]) => [name, of(field)] as const)
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The plain JSON of an answer as text. */
export const text = (value: unknown): string => JSON.stringify(of(value))

/** A list whose order the law leaves open, in an order of its own. */
export const sorted = <A>(list: Iterable<A>): ReadonlyArray<A> =>
  Array.from(list, (value) => [text(value), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, value]) => value)

/**
 * The path of the first part in which two answers differ, null when they are equal.
 *
 * @example
 * ```ts
 * import { Plain } from "@lazaret/store-conformance"
 *
 * Plain.difference({ rows: [1, 2] }, { rows: [1, 3] }) // => "rows.1"
 * Plain.difference([1], [1]) // => null
 * ```
 */
export const difference = (a: unknown, b: unknown): string | null => differing(of(a), of(b), [])

const differing = (a: unknown, b: unknown, path: ReadonlyArray<string>): string | null => {
  if (JSON.stringify(a) === JSON.stringify(b)) return null
  if (!isNode(a) || !isNode(b)) return path.join(".")
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const name of names) {
    const found = differing(a[name], b[name], [...path, name])
    if (found !== null) return found
  }
  return path.join(".")
}

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The part of an answer at a path. */
export const at = (value: unknown, path: string): unknown =>
  path === ""
    ? of(value)
    : path.split(".").reduce<unknown>((node, name) => (isNode(node) ? node[name] : undefined), of(value))
