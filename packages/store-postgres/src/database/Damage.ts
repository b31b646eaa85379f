/** Stored bytes that cannot be read, and where they are. */
import { Effect, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { LayoutError } from "../codec/LayoutError.ts"

/**
 * The kind of damaged bytes, in the words of `Verification.Difference`.
 *
 * **Details**
 *
 * `totals`, `health`, `closings`, `failures` and `base` are computed values: a refold rewrites them. `chunk`
 * (executions) and `retained` (the base of dropped executions) are facts: only a backup restores them.
 */
export const Part = Schema.Literals(["totals", "health", "closings", "failures", "base", "chunk", "retained"])

/** The kind of damaged bytes. */
export type Part = typeof Part.Type

/**
 * The stored bytes of a block cannot be decoded.
 *
 * **Details**
 *
 * `uploadNo` is the upload that brought a chunk, null for everything else.
 *
 * **To do:** Answer for the rest. `lazaret verify` lists the damaged parts; `lazaret repo refold` computes again what is derived.
 */
export class Damage extends Schema.TaggedError<Damage>()("Damage", {
  repositoryId: Schema.Number,
  blockNo: Schema.Number,
  uploadNo: Schema.NullOr(Schema.Number),
  part: Part,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.part} of ${placeOf(this)}: ${faultOf(this)}`
  }
}

/** The row that holds packed bytes. */
export interface Row {
  readonly block_no: number
  readonly upload_no?: number
}

/** The decoded value, or the damage when decoding fails. */
export const check = <A>(
  { repositoryId }: { readonly repositoryId: number },
  part: Part,
  row: Row,
  unpacked: Result.Result<A, LayoutError>
): Result.Result<A, Damage> =>
  Result.isSuccess(unpacked)
    ? Result.succeed(unpacked.success)
    : Result.fail(
        new Damage({
          repositoryId,
          blockNo: row.block_no,
          uploadNo: row.upload_no ?? null,
          part,
          cause: unpacked.failure
        })
      )

/** The outcome of an effect that may find damage: its value, or the damage. */
export const caught = <A, E, R>(
  effect: Effect.Effect<A, E | Damage, R>
): Effect.Effect<Result.Result<A, Damage>, Exclude<E, Damage>, R> =>
  Effect.matchEffect(effect, {
    onFailure: (error) =>
      // Every error other than `Damage` passes through.
      error instanceof Damage ? Effect.succeed(Result.fail(error)) : Effect.fail(error as Exclude<E, Damage>),
    onSuccess: (value) => Effect.succeed(Result.succeed(value))
  })

/** Fails with the first damage there is. */
export const none = (found: ReadonlyArray<Damage>): Effect.Effect<void, Damage> => {
  const [first] = found
  return first === undefined ? Effect.void : Effect.fail(first)
}

/** The block, such as `block 12`, or `upload 5 in block 12`. */
export const placeOf = ({ blockNo, uploadNo }: Damage): string =>
  uploadNo === null ? `block ${blockNo}` : `upload ${uploadNo} in block ${blockNo}`

/** Logs every damage. */
export const logAll = (where: { readonly sql: SqlClient.SqlClient }, found: Iterable<Damage>): Effect.Effect<void> =>
  Effect.forEach(found, (damage) => log(where, damage), { discard: true })

/** Logs damage with the name of its repository and what an operator can do. */
export const log = Effect.fnUntraced(function* ({ sql }: { readonly sql: SqlClient.SqlClient }, damage: Damage) {
  const name = yield* nameOf(sql, damage.repositoryId)
  const repair = isComputed(damage.part)
    ? `Other blocks are not affected. Write it again: lazaret repo refold --repo ${name}`
    : 'Other blocks are not affected. Only a backup holds what is lost: see "Damaged data" in run-in-production.md'
  yield* Effect.logError(`${name}: the stored ${damage.message}. ${repair}`)
})

const isComputed = (part: Part): boolean => part !== "chunk" && part !== "retained"

/** The fault of the bytes. */
export const faultOf = ({ cause }: Damage): string => (cause instanceof Error ? cause.message : String(cause))

const nameOf = (sql: SqlClient.SqlClient, repositoryId: number) =>
  Effect.match(
    sql<{ readonly name: string }>`
      SELECT owner || '/' || name AS name
      FROM repositories
      WHERE repository_id = ${repositoryId}`,
    { onFailure: () => `repository ${repositoryId}`, onSuccess: ([row]) => row?.name ?? `repository ${repositoryId}` }
  )
