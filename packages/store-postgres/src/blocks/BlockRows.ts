/** The rows of computed values per block: `block_state`, `block_bases`, `block_days`. */
import type { Instant } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { BlockGroups } from "../codec/BlockGroups.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockState from "../codec/BlockState.ts"
import type { SlotInstants } from "../codec/SlotInstants.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Closings } from "./Closings.ts"
import type { Block } from "./Replay.ts"
import type { Session } from "../repository/Session.ts"

/** A repository in a database. */
export type Where = Pick<Session, "sql" | "repositoryId">

/** The fields of a block other than its tests. `rules` is the version of the fold (`Replay.rules`). */
interface BlockFacts {
  readonly blockNo: number
  readonly rules: number
  readonly lastDay: number
  readonly baseAt: Instant.Instant | null
  readonly since: number
}

/** A stored block; `packed` holds its tests, still packed. */
export interface StoredBlock extends BlockFacts, Block {
  readonly packed: Uint8Array
}

/** A stored block whose tests are in groups. */
export interface GroupedBlock extends BlockFacts {
  readonly counts: BlockCounts.BlockCounts
  readonly tests: BlockGroups
  readonly packed: Uint8Array
}

/** Reads blocks by number; one that was never folded is absent. */
export const select = (where: Where, blocks: ReadonlyArray<number>) =>
  Effect.map(
    selectState(where, blocks),
    (rows): ReadonlyMap<number, Result.Result<StoredBlock, Damage.Damage>> =>
      new Map(rows.map((row) => [row.block_no, storedBlock(where, row)]))
  )

/** Reads blocks by number, still packed. */
export const selectRows = (where: Where, blocks: ReadonlyArray<number>) =>
  Effect.map(
    selectState(where, blocks),
    (rows): ReadonlyMap<number, StateRow> => new Map(rows.map((row) => [row.block_no, row]))
  )

/** Reads blocks like {@link select}; fails when one is damaged. */
export const selectIntact = Effect.fnUntraced(function* (where: Where, blocks: ReadonlyArray<number>) {
  const found = new Map<number, StoredBlock>()
  for (const [blockNo, block] of yield* select(where, blocks)) found.set(blockNo, yield* Effect.fromResult(block))
  return found
})

/** A block to be stored. */
export interface FoldedBlock extends BlockFacts {
  readonly counts: BlockCounts.BlockCounts
  readonly packed: Uint8Array
  readonly closings: Closings
}

/** Writes blocks and their closings. */
export const save = Effect.fnUntraced(function* (session: Session, blocks: ReadonlyArray<FoldedBlock>) {
  if (blocks.length === 0) return
  yield* upsertState(session, blocks)
  const days = blocks.flatMap(({ blockNo, closings }) =>
    [...closings].map(([day, counts]) => ({ blockNo, day, counts }))
  )
  if (days.length > 0) yield* insertDays(session, days)
})

/** A starting point of a fold: totals and health after every execution up to and including `at`. */
export interface Base extends Block {
  readonly at: Instant.Instant
}

/** The latest base of each block before an instant, by block; blocks without a base are absent. */
export const selectBases = Effect.fnUntraced(function* (session: Session, late: ReadonlyMap<number, Instant.Instant>) {
  const found = new Map<number, Base>()
  for (const row of yield* selectBaseRows(session, late)) {
    found.set(row.block_no, yield* Effect.fromResult(baseOf(session, "base", row)))
  }
  return found
})

/** Every base of blocks, by block. */
export const selectAllBases = (where: Where, blocks: ReadonlyArray<number>) =>
  Effect.map(
    where.sql<BaseRow>`
      SELECT block_no, at, counts, state
      FROM block_bases
      WHERE repository_id = ${where.repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})
      ORDER BY block_no, at`,
    (rows) => {
      const found = new Map<number, Array<Result.Result<Base, Damage.Damage>>>()
      for (const row of rows) {
        found.set(row.block_no, [...(found.get(row.block_no) ?? []), baseOf(where, "base", row)])
      }
      return found
    }
  )

/** Removes the bases of each block from an instant on (inclusive), because a late execution made them outdated. */
export const removeBases = ({ repositoryId, sql }: Session, late: ReadonlyMap<number, Instant.Instant>) => sql`
  DELETE FROM block_bases
  WHERE repository_id = ${repositoryId} AND ctid = ANY(ARRAY(
    SELECT b.ctid
    FROM unnest(${Parameter.int4s([...late.keys()])}, ${Parameter.instants([...late.values()])}) AS n (block_no, late_from)
    CROSS JOIN LATERAL (
      SELECT ctid
      FROM block_bases
      WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at >= n.late_from
      OFFSET 0
    ) b
  ))`

/** A base to be stored. */
export interface NewBase {
  readonly blockNo: number
  readonly at: Instant.Instant
  readonly counts: BlockCounts.BlockCounts
  readonly packed: Uint8Array
}

/** Writes bases. Of the earlier bases of a block, keeps the latest one and the last one of each week. */
export const insertBases = Effect.fnUntraced(function* (session: Session, bases: ReadonlyArray<NewBase>) {
  if (bases.length === 0) return
  yield* insertBaseRows(session, bases)
  yield* thinBases(
    session,
    bases.map(({ blockNo }) => blockNo)
  )
})

/** The closings of each block from a day on, and the one before that day. */
export const selectClosings = Effect.fnUntraced(function* (where: Where, from: ReadonlyMap<number, number>) {
  const found = new Map<number, Result.Result<Closings, Damage.Damage>>()
  if (from.size === 0) return found
  const rows = Map.groupBy(yield* selectDays(where, from), (row) => row.block_no)
  for (const [blockNo, days] of rows) found.set(blockNo, closingsOf(where, days))
  return found
})

const closingsOf = (where: Where, rows: ReadonlyArray<DayRow>): Result.Result<Closings, Damage.Damage> =>
  Result.map(
    Result.all(rows.map((row) => closingOf(where, row))),
    (counts) => new Map(rows.map((row, index) => [row.day, counts[index] ?? BlockCounts.make()]))
  )

/** The totals in a row of `block_days`. */
export const closingOf = (where: Pick<Where, "repositoryId">, row: Pick<DayRow, "block_no" | "counts">) =>
  Damage.check(where, "closings", row, BlockCounts.decodeClosing(row.counts))

/** The totals in a row of `block_state`. */
export const totalsOf = (where: Pick<Where, "repositoryId">, row: Pick<StateRow, "block_no" | "counts">) =>
  Damage.check(where, "totals", row, BlockCounts.decode(row.counts))

/** The tests in a row of `block_state`. */
export const slotsOf = (where: Pick<Where, "repositoryId">, row: Pick<StateRow, "block_no" | "state">) =>
  Damage.check(where, "health", row, BlockState.decode(row.state))

/** The same in groups. Their instants replace those of `instants`. */
export const groupsOf = (
  where: Pick<Where, "repositoryId">,
  row: Pick<StateRow, "block_no" | "state">,
  instants: SlotInstants
) => Damage.check(where, "health", row, BlockState.decodeGroups(row.state, instants))

/** A block as it is stored, still packed. */
export interface StateRow {
  readonly block_no: number
  readonly rules: number
  readonly last_day: number
  readonly base_at: Instant.Instant | null
  readonly since: number
  readonly counts: Uint8Array
  readonly state: Uint8Array
}

interface DayRow {
  readonly block_no: number
  readonly day: number
  readonly counts: Uint8Array
}

/** A row of `block_state`, unpacked. */
export const storedBlock = (where: Where, row: StateRow): Result.Result<StoredBlock, Damage.Damage> =>
  Result.map(Result.all([totalsOf(where, row), slotsOf(where, row)]), ([counts, slots]) => ({
    ...factsOf(row),
    counts,
    slots,
    packed: row.state
  }))

/** A row of `block_state`, unpacked into groups. Their instants replace those of `instants`. */
export const groupedBlock = (
  where: Where,
  row: StateRow,
  instants: SlotInstants
): Result.Result<GroupedBlock, Damage.Damage> =>
  Result.map(Result.all([totalsOf(where, row), groupsOf(where, row, instants)]), ([counts, tests]) => ({
    ...factsOf(row),
    counts,
    tests,
    packed: row.state
  }))

const factsOf = (row: StateRow): BlockFacts => ({
  blockNo: row.block_no,
  rules: row.rules,
  lastDay: row.last_day,
  baseAt: row.base_at,
  since: row.since
})

const selectState = ({ repositoryId, sql }: Where, blocks: ReadonlyArray<number>) => sql<StateRow>`
  SELECT block_no, rules, last_day, base_at, since, counts, state
  FROM block_state
  WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`

const upsertState = ({ head, repositoryId, sql }: Session, blocks: ReadonlyArray<FoldedBlock>) => sql`
  INSERT INTO block_state (repository_id, block_no, version, rules, last_day, base_at, since, counts, state)
  SELECT ${repositoryId}, n.block_no, ${Parameter.int8(head.version)}, n.rules, n.last_day, n.base_at, n.since, n.counts,
    n.state
  FROM unnest(
    ${Parameter.int4s(blocks.map((block) => block.blockNo))},
    ${Parameter.int2s(blocks.map((block) => block.rules))},
    ${Parameter.int4s(blocks.map((block) => block.lastDay))},
    ${Parameter.instants(blocks.map((block) => block.baseAt))},
    ${Parameter.int2s(blocks.map((block) => Math.min(block.since, maximumSince)))},
    ${Parameter.byteas(blocks.map((block) => BlockCounts.encode(block.counts)))},
    ${Parameter.byteas(blocks.map((block) => block.packed))}
  ) AS n (block_no, rules, last_day, base_at, since, counts, state)
  ON CONFLICT (repository_id, block_no) DO UPDATE
  SET version = EXCLUDED.version, rules = EXCLUDED.rules, last_day = EXCLUDED.last_day, base_at = EXCLUDED.base_at,
    since = EXCLUDED.since, counts = EXCLUDED.counts, state = EXCLUDED.state`

const maximumSince = 32_767

/** Removes all computed values of blocks. */
export const remove = Effect.fnUntraced(function* ({ repositoryId, sql }: Where, blocks: ReadonlyArray<number>) {
  const which = sql`WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`
  yield* sql`DELETE FROM block_state ${which}`
  yield* sql`DELETE FROM block_bases ${which}`
  yield* sql`DELETE FROM block_days ${which}`
  yield* sql`DELETE FROM failed_days ${which}`
})

/** Writes totals at the close of days. */
export const insertDays = (
  { repositoryId, sql }: Where,
  days: ReadonlyArray<{ readonly blockNo: number; readonly day: number; readonly counts: BlockCounts.BlockCounts }>
) => sql`
  INSERT INTO block_days (repository_id, block_no, day, counts)
  SELECT ${repositoryId}, n.block_no, n.day, n.counts
  FROM unnest(
    ${Parameter.int4s(days.map(({ blockNo }) => blockNo))},
    ${Parameter.int4s(days.map(({ day }) => day))},
    ${Parameter.byteas(days.map(({ counts }) => BlockCounts.encodeClosing(counts)))}
  ) AS n (block_no, day, counts)
  ON CONFLICT (repository_id, block_no, day) DO UPDATE
  SET counts = EXCLUDED.counts`

/** A base as it is stored, still packed. */
export interface BaseRow {
  readonly block_no: number
  readonly at: Instant.Instant
  readonly counts: Uint8Array
  readonly state: Uint8Array
}

/** The base in a row, unpacked. */
export const baseOf = (where: Where, part: "base" | "retained", row: BaseRow): Result.Result<Base, Damage.Damage> =>
  Result.map(
    Damage.check(where, part, row, Result.all([BlockCounts.decodeClosing(row.counts), BlockState.decode(row.state)])),
    ([counts, slots]): Base => ({ at: row.at, counts: withStatus(counts, slots), slots })
  )

/** Closings do not hold the verdict. */
const withStatus = (counts: BlockCounts.BlockCounts, slots: BlockState.BlockState): BlockCounts.BlockCounts => {
  slots.forEach((slot, index) => {
    if (slot !== undefined) BlockCounts.setVerdict(counts, index, slot.state.status, slot.state.reruns)
  })
  return counts
}

const selectBaseRows = ({ repositoryId, sql }: Session, late: ReadonlyMap<number, Instant.Instant>) => sql<BaseRow>`
  SELECT n.block_no, b.at, b.counts, b.state
  FROM unnest(${Parameter.int4s([...late.keys()])}, ${Parameter.instants([...late.values()])}) AS n (block_no, late_from)
  CROSS JOIN LATERAL (
    SELECT p.at, p.counts, p.state
    FROM block_bases p
    WHERE p.repository_id = ${repositoryId} AND p.block_no = n.block_no AND p.at < n.late_from
    ORDER BY p.at DESC
    LIMIT 1
  ) b`

const insertBaseRows = ({ repositoryId, sql }: Session, bases: ReadonlyArray<NewBase>) => sql`
  INSERT INTO block_bases (repository_id, block_no, at, counts, state)
  SELECT ${repositoryId}, n.block_no, n.at, n.counts, n.state
  FROM unnest(
    ${Parameter.int4s(bases.map(({ blockNo }) => blockNo))},
    ${Parameter.instants(bases.map(({ at }) => at))},
    ${Parameter.byteas(bases.map(({ counts }) => BlockCounts.encodeClosing(counts)))},
    ${Parameter.byteas(bases.map(({ packed }) => packed))}
  ) AS n (block_no, at, counts, state)`

const thinBases = ({ repositoryId, sql }: Session, blocks: ReadonlyArray<number>) => sql`
  DELETE FROM block_bases
  WHERE repository_id = ${repositoryId} AND ctid = ANY(ARRAY(
    SELECT k.ctid
    FROM (
      SELECT ctid,
        row_number() OVER (PARTITION BY block_no ORDER BY at DESC) AS age,
        row_number() OVER (PARTITION BY block_no, date_trunc('week', at, 'UTC') ORDER BY at DESC) AS in_week
      FROM block_bases
      WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})
    ) k
    WHERE k.age > 2 AND k.in_week > 1
  ))`

const selectDays = ({ repositoryId, sql }: Where, from: ReadonlyMap<number, number>) => sql<DayRow>`
  SELECT n.block_no, d.day, d.counts
  FROM unnest(${Parameter.int4s([...from.keys()])}, ${Parameter.int4s([...from.values()])}) AS n (block_no, day)
  CROSS JOIN LATERAL (
    SELECT day, counts
    FROM block_days
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND day >= coalesce(
      (
        SELECT max(p.day)
        FROM block_days p
        WHERE p.repository_id = ${repositoryId} AND p.block_no = n.block_no AND p.day < n.day
      ),
      n.day
    )
    OFFSET 0
  ) d`
