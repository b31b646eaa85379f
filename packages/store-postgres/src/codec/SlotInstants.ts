/** The instants of the tests of a block. Tests of the same shape (`SlotShape`) differ in nothing else. */
import type { Slot } from "./BlockSlot.ts"
import { slots } from "./BlockCounts.ts"
import type * as Surrogate from "./Surrogate.ts"

/** The instants of each test, by field and slot ({@link place}); {@link none} for null, and where a test has no such mark. */
export type SlotInstants = Float64Array

/** The fields. */
export const field = {
  last: 0,
  trigger: 1,
  first: 2,
  lastSuccess: 3,
  episode: 4,
  episodeAt: 5,
  onset: 6,
  opening: 7,
  failure: 8,
  failed: 9
} as const

/** The number of fields. */
export const fields = 10

/** Stands for a missing instant. */
export const none = -1

/** The instants of no tests. */
export const make = (): SlotInstants => new Float64Array(fields * slots)

/** The place of a field of a test. */
export const place = (of: number, slot: number): number => of * slots + slot

/** The instant at a place. */
export const at = (instants: SlotInstants, index: number): number => instants[index] ?? none

/** Replaces the instants of a test. */
export const set = (instants: SlotInstants, index: number, { firstAt, last, lastSuccessAt, state }: Slot): void => {
  const put = (of: number, instant: number | null | undefined): void => {
    instants[place(of, index)] = instant ?? none
  }
  put(field.last, last.at)
  put(field.trigger, state.trigger?.at)
  put(field.first, firstAt)
  put(field.lastSuccess, lastSuccessAt)
  put(field.episode, state.episode?.at)
  put(field.episodeAt, state.episodeAt)
  put(field.onset, state.onset?.at)
  put(field.opening, state.opening?.at)
  put(field.failure, state.failureAt)
  put(field.failed, state.failedAt)
}

/** A test of a shape with its own instants. */
export const applied = (instants: SlotInstants, index: number, shape: Slot): Slot => {
  const { state } = shape
  const nullable = (of: number): number | null => {
    const instant = at(instants, place(of, index))
    return instant === none ? null : instant
  }
  const moved = <M extends Surrogate.Mark | null>(mark: M, of: number): M =>
    mark === null ? mark : { ...mark, at: at(instants, place(of, index)) }
  return {
    ...shape,
    state: {
      ...state,
      trigger: moved(state.trigger, field.trigger),
      episode: moved(state.episode, field.episode),
      onset: moved(state.onset, field.onset),
      opening: moved(state.opening, field.opening),
      episodeAt: nullable(field.episodeAt),
      failureAt: nullable(field.failure),
      failedAt: nullable(field.failed)
    },
    last: moved(shape.last, field.last),
    firstAt: at(instants, place(field.first, index)),
    lastSuccessAt: nullable(field.lastSuccess)
  }
}
