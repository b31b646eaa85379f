/** Text rules that every package shares: the one order of names, and the one idea of a length. */
import { Order, Schema } from "effect"

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/**
 * Compares two texts by their Unicode code points, as a database does with `COLLATE "C"` on UTF-8.
 *
 * **Gotchas**
 *
 * JavaScript's own `<` compares UTF-16 units and puts U+FFFD after U+1F600; this order does not.
 *
 * @example
 * ```ts
 * import { Text } from "@lazaret/domain"
 *
 * Text.compare("Zebra", "apple") // => -1
 * Text.compare("\uFFFD", "\u{1F600}") // => -1
 * ```
 */
export const compare = (a: string, b: string): -1 | 0 | 1 => {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) {
      if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(x) ? 1 : -1
      return x < y ? -1 : 1
    }
  }
  return a.length < b.length ? -1 : 1
}

/** The code-point order as an Effect `Order`. */
export const CodePointOrder: Order.Order<string> = Order.make(compare)

/** Text that every store can keep: no NUL character, no lone surrogate. */
export const Storable = Schema.String.check(
  Schema.makeFilter((text: string) => (text.includes("\0") ? "must not contain the NUL character" : undefined)),
  Schema.makeFilter((text: string) => (text.isWellFormed() ? undefined : "must be well-formed Unicode"))
)

/**
 * The number of code points of a text: what an API user, a database and JSON Schema mean by its length.
 *
 * @example
 * ```ts
 * import { Text } from "@lazaret/domain"
 *
 * Text.length("a\u{1F600}") // => 2
 * ```
 */
export const length = (text: string): number => {
  let pairs = 0
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) pairs += 1
  }
  return text.length - pairs
}

const isWithin = (text: string, minimum: number, maximum: number): boolean => {
  if (text.length < minimum || text.length > 2 * maximum) return false
  const points = length(text)
  return points >= minimum && points <= maximum
}

/** Storable text whose length in code points is from `minimum` to `maximum`, both included. */
export const between = (minimum: number, maximum: number) =>
  Storable.check(
    Schema.makeFilter(
      (text: string) =>
        isWithin(text, minimum, maximum) ? undefined : `must be ${minimum} to ${maximum} characters long`,
      { toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }) }
    )
  )

/** Whether people may follow an address: http or https, nothing that a browser would run, and no control character. */
const isAddress = (text: string): boolean => /^https?:\/\/\P{Cc}*$/iu.test(text)

/** The keywords of an http or https address in the OpenAPI document. JSON Schema knows no flag for "in any case". */
export const webAddress = { format: "uri", pattern: "^[hH][tT][tT][pP][sS]?://" } as const

const addressOf = (jsonSchema: Partial<typeof webAddress>) =>
  between(1, 2048).check(
    Schema.makeFilter((text: string) => isAddress(text) || "must be an address that starts with http:// or https://", {
      toJsonSchema: () => jsonSchema
    })
  )

/** Schema of an address that people may follow: http or https, nothing that a browser would run, no control character. */
export const Address = addressOf({})

/** {@link Address}, with its format in the OpenAPI document. */
export const AddressParameter = addressOf(webAddress)
