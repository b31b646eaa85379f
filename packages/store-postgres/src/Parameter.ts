/**
 * Parameters with their type, where the value alone does not tell it: an instant is a number, and an empty array could be
 * of anything.
 *
 * @since 0.1.0
 */
import { PgTypes } from "@effect/sql-pg"
import type { Instant } from "@lazaret/domain"
import { Result } from "effect"

/**
 * A `timestamptz`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const instant = (at: Instant.Instant | null): PgTypes.Parameter => PgTypes.timestamptz(at)

/**
 * A `bigint`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const int8 = (value: number | null): PgTypes.Parameter => PgTypes.int8(value === null ? null : BigInt(value))

/**
 * A `text`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (value: string | null): PgTypes.Parameter => PgTypes.text(value)

/**
 * A `uuid`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const uuid = (value: string | null): PgTypes.Parameter => PgTypes.uuid(value)

/**
 * A `jsonb`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const json = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value)

/**
 * A `timestamptz[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const instants = (values: ReadonlyArray<Instant.Instant | null>): PgTypes.Parameter =>
  array(values, PgTypes.OID.timestamptz)

/**
 * A `bigint[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const int8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  array(
    values.map((value) => (value === null ? null : BigInt(value))),
    PgTypes.OID.int8
  )

/**
 * An `int[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const int4s = (values: ReadonlyArray<number | null>): PgTypes.Parameter => array(values, PgTypes.OID.int4)

/**
 * A `smallint[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const int2s = (values: ReadonlyArray<number | null>): PgTypes.Parameter => array(values, PgTypes.OID.int2)

/**
 * A `text[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter => array(values, PgTypes.OID.text)

/**
 * A `uuid[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const uuids = (values: ReadonlyArray<string | null>): PgTypes.Parameter => array(values, PgTypes.OID.uuid)

/**
 * A `bytea[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const byteas = (values: ReadonlyArray<Uint8Array | null>): PgTypes.Parameter => array(values, PgTypes.OID.bytea)

/**
 * A `boolean[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bools = (values: ReadonlyArray<boolean | null>): PgTypes.Parameter => array(values, PgTypes.OID.bool)

/**
 * A `jsonb[]`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const jsons = (values: ReadonlyArray<unknown>): PgTypes.Parameter => array(values, PgTypes.OID.jsonb)

/** It fails only for a type without an array type, which none of ours is. */
const array = (values: ReadonlyArray<unknown>, element: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, element))
