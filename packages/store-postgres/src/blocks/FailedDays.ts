/** Failures per day, the input of repository statistics. */
import { Instant } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import * as FailedDay from "../codec/FailedDay.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Where } from "./BlockRows.ts"
import type { Session } from "../repository/Session.ts"

/** The fields of a failed execution that are counted here. */
export interface Failed {
  readonly blockNo: number
  readonly slot: number
  readonly at: Instant.Instant
}

/** Adds failures of the default branch to the counts of their days. */
export const add = Effect.fnUntraced(function* (session: Session, failed: Iterable<Failed>) {
  for (const some of Slices.byWeight(failed, () => 1, failuresAtOnce)) {
    yield* addSome(session, grouped(some))
  }
})

/** The number of failures that are counted and written before other fibers run: some milliseconds. */
const failuresAtOnce = 16_384

const addSome = Effect.fnUntraced(function* (session: Session, days: BlockDays) {
  for (const row of yield* select(session, days)) {
    const stored = yield* Effect.fromResult(failuresOf(session, row))
    const added = days.get(key(row.day, row.block_no))?.failures
    if (added !== undefined) for (const [slot, count] of stored) added.set(slot, (added.get(slot) ?? 0) + count)
  }
  yield* upsert(session, days)
})

/** A row of `failed_days`. */
export interface FailedDayRow {
  readonly day: number
  readonly block_no: number
  readonly failures: Uint8Array
}

/** The failures in a row. */
export const failuresOf = (where: Pick<Where, "repositoryId">, row: FailedDayRow) =>
  Damage.check(where, "failures", row, FailedDay.decode(row.failures))

interface BlockDay {
  readonly day: number
  readonly blockNo: number
  readonly failures: Map<number, number>
}

type BlockDays = ReadonlyMap<string, BlockDay>

const key = (day: number, blockNo: number): string => `${day} ${blockNo}`

const grouped = (failed: ReadonlyArray<Failed>): BlockDays => {
  const days = new Map<string, BlockDay>()
  for (const { at, blockNo, slot } of failed) {
    const day = Instant.utcDay(at)
    const found = days.get(key(day, blockNo)) ?? { day, blockNo, failures: new Map<number, number>() }
    found.failures.set(slot, (found.failures.get(slot) ?? 0) + 1)
    days.set(key(day, blockNo), found)
  }
  return days
}

const select = ({ repositoryId, sql }: Session, days: BlockDays) => sql<FailedDayRow>`
  SELECT f.day, f.block_no, f.failures
  FROM unnest(${numbers(days, "day")}, ${numbers(days, "blockNo")}) AS n (day, block_no)
  CROSS JOIN LATERAL (
    SELECT day, block_no, failures
    FROM failed_days
    WHERE repository_id = ${repositoryId} AND day = n.day AND block_no = n.block_no
    OFFSET 0
  ) f`

const upsert = ({ head, repositoryId, sql }: Session, days: BlockDays) => sql`
  INSERT INTO failed_days (repository_id, day, block_no, version, failures)
  SELECT ${repositoryId}, n.day, n.block_no, ${Parameter.int8(head.version)}, n.failures
  FROM unnest(
    ${numbers(days, "day")},
    ${numbers(days, "blockNo")},
    ${Parameter.byteas([...days.values()].map(({ failures }) => FailedDay.encode(failures)))}
  ) AS n (day, block_no, failures)
  ORDER BY n.day, n.block_no
  ON CONFLICT (repository_id, day, block_no) DO UPDATE
  SET version = EXCLUDED.version, failures = EXCLUDED.failures`

const numbers = (days: BlockDays, field: "day" | "blockNo") =>
  Parameter.int4s([...days.values()].map((each) => each[field]))
