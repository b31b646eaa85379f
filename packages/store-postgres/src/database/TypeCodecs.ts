/** The conversion of PostgreSQL values to domain values. */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/**
 * The codecs of a client whose rows hold domain values.
 *
 * **Details**
 *
 * - `bigint` (and so `count(*)`) is a JavaScript number. One beyond 2^53 is an error, never a rounded number.
 * - `timestamptz` is an instant: milliseconds since the epoch.
 */
export const make = (): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  registry.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
  registry.register(PgTypes.OID.timestamptz, timestamptz, { arrayOid: PgTypes.OID.timestamptzArray })
  return registry
}

/** The only wire format in which a registered codec is called. */
const binary = 1

const int8: PgTypes.Codec<number | bigint> = {
  encode: (value) => PgTypes.encode(BigInt(value), PgTypes.OID.int8),
  decode: (bytes) => Result.flatMap(PgTypes.decode(bytes, PgTypes.OID.int8, binary), exact)
}

const timestamptz: PgTypes.Codec<number | Date> = {
  encode: (value) => PgTypes.encode(value, PgTypes.OID.timestamptz),
  decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.timestamptz, binary), Number)
}

const exact = (value: unknown): Result.Result<number, PgTypes.CodecError> => {
  const number = Number(value)
  return Number.isSafeInteger(number)
    ? Result.succeed(number)
    : Result.fail(new PgTypes.CodecError({ message: `${value} exceeds the exact JavaScript integers (2^53 - 1)` }))
}
