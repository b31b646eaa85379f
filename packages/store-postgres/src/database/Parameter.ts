/**
 * Query parameters with an explicit type, for values whose type is ambiguous: an instant is a number, and an empty
 * array has no element type.
 */
import { PgTypes } from "@effect/sql-pg"
import type { Instant } from "@lazaret/domain"
import { Result } from "effect"

/** A `timestamptz`. */
export const instant = (at: Instant.Instant | null): PgTypes.Parameter => PgTypes.timestamptz(at)

/** A `bigint`. */
export const int8 = (value: number | null): PgTypes.Parameter => PgTypes.int8(value === null ? null : BigInt(value))

/** A `text`. */
export const text = (value: string | null): PgTypes.Parameter => PgTypes.text(value)

/** A `uuid`. */
export const uuid = (value: string | null): PgTypes.Parameter => PgTypes.uuid(value)

/** A `bytea`. */
export const bytea = (value: Uint8Array | null): PgTypes.Parameter => PgTypes.bytea(value)

/** A `jsonb`. */
export const json = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value)

/** A `timestamptz[]`. */
export const instants = (values: ReadonlyArray<Instant.Instant | null>): PgTypes.Parameter =>
  array(values, PgTypes.OID.timestamptz)

/** A `bigint[]`. */
export const int8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  array(
    values.map((value) => (value === null ? null : BigInt(value))),
    PgTypes.OID.int8
  )

/** An `int[]`. */
export const int4s = (values: ReadonlyArray<number | null>): PgTypes.Parameter => array(values, PgTypes.OID.int4)

/** A `smallint[]`. */
export const int2s = (values: ReadonlyArray<number | null>): PgTypes.Parameter => array(values, PgTypes.OID.int2)

/** A `text[]`. */
export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter => array(values, PgTypes.OID.text)

/** A `uuid[]`. */
export const uuids = (values: ReadonlyArray<string | null>): PgTypes.Parameter => array(values, PgTypes.OID.uuid)

/** A `bytea[]`. */
export const byteas = (values: ReadonlyArray<Uint8Array | null>): PgTypes.Parameter => array(values, PgTypes.OID.bytea)

/** A `boolean[]`. */
export const bools = (values: ReadonlyArray<boolean | null>): PgTypes.Parameter => array(values, PgTypes.OID.bool)

/** A `jsonb[]`. */
export const jsons = (values: ReadonlyArray<unknown>): PgTypes.Parameter => array(values, PgTypes.OID.jsonb)

/** Fails only for a type without an array type; every type used here has one. */
const array = (values: ReadonlyArray<unknown>, element: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, element))
