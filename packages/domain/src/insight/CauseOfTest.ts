/** The cause of a test as issues and notifications read it: the decisions of people, and the tests that share it. */
import type { Instant } from "../time/Instant.ts"
import * as CauseRecord from "./CauseRecord.ts"

/**
 * The cause of a test.
 *
 * **Details**
 *
 * `tests`: how many tests share it, this one included. A cause that is gone is the cause of no test.
 */
export interface CauseOfTest extends Pick<CauseRecord.CauseRecord, "causeId" | "closedAt" | "owner" | "ticket"> {
  readonly name: string
  readonly tests: number
  readonly state: CauseRecord.State
}

/** The causes of tests by the names of these as of an instant. */
export const byTest = (
  records: ReadonlyArray<CauseRecord.CauseRecord>,
  now: Instant
): ReadonlyMap<string, CauseOfTest> => {
  const causes = new Map<CauseRecord.CauseRecord, CauseOfTest>()
  return new Map(
    [...CauseRecord.byTest(records)].map(([testName, record]) => {
      const found = causes.get(record) ?? of(record, now)
      causes.set(record, found)
      return [testName, found]
    })
  )
}

const of = (record: CauseRecord.CauseRecord, now: Instant): CauseOfTest => {
  const { causeId, closedAt, known, owner, ticket } = record
  const { name, testCount: tests } = known
  return { causeId, closedAt, owner, ticket, name, tests, state: CauseRecord.stateOf(record, now) }
}
