/** Failures of several jobs, put together as people read them. */
import type { Failure } from "./Words.ts"

/** At least one failure. */
export type Several = readonly [Failure, ...ReadonlyArray<Failure>]

/** The failures of each test, in the order of the first one of each. */
export const byTest = (failures: ReadonlyArray<Failure>): ReadonlyArray<Several> =>
  grouped(failures, ({ test_id }) => test_id)

/** The failures of a test that have the same verdict, outcome at the gate and message, the first ones first. */
export const alike = (failures: ReadonlyArray<Failure>): ReadonlyArray<Several> =>
  grouped(failures, ({ exception_type, gate_reason, is_blocking, message, verdict }) =>
    JSON.stringify([verdict, is_blocking, gate_reason, exception_type, message])
  )

const grouped = (failures: ReadonlyArray<Failure>, keyOf: (failure: Failure) => string): ReadonlyArray<Several> => {
  const groups = new Map<string, [Failure, ...Array<Failure>]>()
  for (const each of failures) {
    const group = groups.get(keyOf(each))
    if (group === undefined) groups.set(keyOf(each), [each])
    else group.push(each)
  }
  return [...groups.values()]
}
