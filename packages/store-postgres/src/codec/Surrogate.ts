/**
 * Short names for executions and commits while they are folded and packed.
 *
 * The fold of health compares ids and commits for equality only. The surrogate of a commit is its number in the
 * repository; that of an execution is the number of its upload and the ordinal of its id.
 */
import type { Health, HealthSeries } from "@lazaret/domain"

/** The surrogate of an execution: `{upload}.{ordinal}`. */
export type Id = `${number}.${number}`

/** The surrogate of a commit. */
export type Commit = number

/** A state of the fold with surrogates. */
export type State = Health.State<Id, Commit>

/** A reference to an execution with surrogates. */
export type Mark = Health.Mark<Id, Commit>

/** The base of a series with surrogates. */
export type SeriesBase = HealthSeries.Base<Id, Commit>

/** The surrogate of an execution's id. */
export const id = (upload: number, ordinal: number): Id => `${upload}.${ordinal}`

/** The number of the upload in the surrogate of an execution. */
export const uploadOf = (name: Id): number => Number(name.slice(0, name.indexOf(".")))

/** The ordinal in the surrogate of an execution. */
export const ordinalOf = (name: Id): number => Number(name.slice(name.indexOf(".") + 1))
