/**
 * Cursors: places in a list as opaque, URL-safe text (interface 4).
 *
 * A cursor is bound to the list it was made for. It carries a digest of its content and of its binding, so that one
 * that was changed or that is used with another endpoint, filter or sort is told apart and refused, instead of showing
 * rows that follow nothing.
 *
 * **No secret**
 *
 * The digest is not a signature: a reader of this file can make a cursor. That is fine, because a cursor grants nothing. It
 * names a place in a list, and the list is made for each request from what its credential may read; its content is
 * checked as any other input is. In return cursors survive restarts and work on every server process.
 */
import { Result, Schema } from "effect"
import { v5 } from "uuid"
import type * as Page from "./Page.ts"

/**
 * Why a text is not a cursor of a list.
 *
 * **Details**
 *
 * - `malformed`: not made by {@link encode}.
 * - `foreign`: changed since, or made for another list.
 * - `position`: its position is not one of this list.
 */
export interface CursorError {
  readonly _tag: "CursorError"
  readonly reason: "malformed" | "foreign" | "position"
  readonly message: string
}

/**
 * The text that a cursor is bound to: everything that makes the list what it is, but not the size of its pages.
 *
 * @example
 * ```ts
 * import { Cursor } from "@lazaret/domain"
 *
 * Cursor.binding(["search", "octo/cat", "test_name", "asc"]) // => '["search","octo/cat","test_name","asc"]'
 * ```
 */
export const binding = (parts: ReadonlyArray<string>): string => JSON.stringify(parts)

/**
 * The cursor of a target in the list of a binding. Its position must be plain JSON.
 *
 * @example
 * ```ts
 * import { Cursor, Page } from "@lazaret/domain"
 *
 * /^[\w.-]+$/.test(Cursor.encode("list", Page.after({ id: 7 }))) // => true
 * ```
 */
export const encode = <P>(list: string, target: Page.Target<P>): string => seal(list, JSON.stringify(target))

/**
 * The target of a cursor in the list of a binding.
 *
 * **Details**
 *
 * It is the target that {@link encode} was given, for exactly the text that it gave, with exactly the same binding.
 *
 * @example
 * ```ts
 * import { Cursor, Page } from "@lazaret/domain"
 * import { Result, Schema } from "effect"
 *
 * const cursor = Cursor.encode("list", Page.after(7))
 * Cursor.decode("list", cursor, Schema.Int) // => Result.succeed(Page.after(7))
 * Result.isFailure(Cursor.decode("other list", cursor, Schema.Int)) // => true
 * ```
 */
export const decode = <P>(
  list: string,
  text: string,
  position: Schema.Codec<P>
): Result.Result<Page.Target<P>, CursorError> =>
  Result.gen(function* () {
    const payload = yield* failAs("malformed", unpack(text.slice(0, text.lastIndexOf(separator))))
    if (seal(list, payload) !== text) return yield* Result.fail(errorOf("foreign"))
    const target = yield* failAs("malformed", parse(payload))
    if (target._tag === "End") return target
    const decoded = yield* failAs("position", Schema.decodeUnknownResult(position)(target.position))
    return { _tag: target._tag, position: decoded }
  })

const namespace = "d0f3a9b4-5c1e-5f7a-a6d2-91b7e4c08f35"

/** Neither a character of base64url nor one that a URL escapes. */
const separator = "."

const Wire = Schema.fromJsonString(
  Schema.Union([
    Schema.TaggedStruct("After", { position: Schema.Unknown }),
    Schema.TaggedStruct("Before", { position: Schema.Unknown }),
    Schema.TaggedStruct("End", {})
  ])
)

const parse = Schema.decodeUnknownResult(Wire)

const unpack = Schema.decodeUnknownResult(Schema.StringFromBase64Url)

const pack = Schema.encodeSync(Schema.StringFromBase64Url)

/** One payload has one text only: what {@link decode} compares whole. */
const seal = (list: string, payload: string): string =>
  pack(payload) + separator + v5(JSON.stringify([list, payload]), namespace).replaceAll("-", "")

const failAs = <A>(reason: CursorError["reason"], result: Result.Result<A, unknown>): Result.Result<A, CursorError> =>
  Result.mapError(result, () => errorOf(reason))

const errorOf = (reason: CursorError["reason"]): CursorError => ({
  _tag: "CursorError",
  reason,
  message: "Take the cursor from a link of a response to the same request: this one was changed or is of another list."
})
