/** The base of the dropped executions, by block: the starting point of every fold of the block. */
import { Health, HealthStatus, type Instant } from "@lazaret/domain"
import { Effect, Result, Schema } from "effect"
import * as BlockRows from "./BlockRows.ts"
import * as Replay from "./Replay.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockState from "../codec/BlockState.ts"
import { LayoutError } from "../codec/LayoutError.ts"
import type * as Surrogate from "../codec/Surrogate.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"

/** The last transition of a test before the stored executions, and the exception of the episode in its state. */
export type Series = Omit<Surrogate.SeriesBase, "state">

/**
 * A block after every execution up to and including `at`, on the branch that was the default branch. Ids and commits are
 * surrogates.
 */
export interface Base extends BlockRows.Base {
  readonly blockNo: number
  readonly branch: string
  readonly series: { readonly [slot: string]: Series }
}

/** The bases of blocks, by block; blocks without dropped executions are absent. */
export const select = (where: BlockRows.Where, blocks: ReadonlyArray<number>) =>
  Effect.map(
    selectRows(where, blocks),
    (rows): ReadonlyMap<number, Result.Result<Base, Damage.Damage>> =>
      new Map(
        rows.map((row) => {
          const { block_no: blockNo, branch } = row
          const base = Result.flatMap(BlockRows.baseOf(where, "retained", row), (found) =>
            Result.map(seriesIn(where, row, found.slots), (series): Base => ({ ...found, blockNo, branch, series }))
          )
          return [blockNo, base]
        })
      )
  )

/** The series in a row, one for each test. No checksum covers this column, so its shape is checked. */
const seriesIn = (
  where: BlockRows.Where,
  row: { readonly block_no: number; readonly series: unknown },
  slots: BlockState.BlockState
): Result.Result<Base["series"], Damage.Damage> => {
  const shaped = Result.mapError(decodeSeries(row.series), ({ message }) => refused(message))
  const tests = slots.filter((slot) => slot !== undefined).length
  const complete = Result.filterOrFail(
    shaped,
    (series) =>
      Object.keys(series).length === tests && Object.keys(series).every((slot) => slots[Number(slot)] !== undefined),
    () => refused("the series are not those of the tests")
  )
  return Damage.check(where, "retained", row, complete)
}

const refused = (fault: string): LayoutError => new LayoutError({ codec: "RetainedBases", fault })

const Id = Schema.TemplateLiteral([Schema.Int, ".", Schema.Int])

const Mark = Schema.Struct({ id: Id, at: Schema.Int, commit: Schema.Int })

/** The stored form keeps the key `mover` of 0.1.0. */
const Change = Schema.Struct({
  status: HealthStatus.HealthStatus,
  rule: Health.Rule,
  trigger: Mark,
  episode: Schema.NullOr(Mark),
  exceptionType: Schema.NullOr(Schema.String)
}).pipe(Schema.encodeKeys({ trigger: "mover" }))

const StoredSeries = Schema.Record(
  Schema.String.check(Schema.isPattern(/^[0-9]{1,2}$/u)),
  Schema.Struct({ change: Change, exceptionType: Schema.NullOr(Schema.String) })
)

const decodeSeries = Schema.decodeUnknownResult(StoredSeries)

const encodeSeries = Schema.encodeSync(StoredSeries)

/** Reads bases like {@link select}; fails when one is damaged. */
export const selectIntact = Effect.fnUntraced(function* (where: BlockRows.Where, blocks: ReadonlyArray<number>) {
  const found = new Map<number, Base>()
  for (const [blockNo, base] of yield* select(where, blocks)) found.set(blockNo, yield* Effect.fromResult(base))
  return found
})

/** The base for a default branch; empty when it was computed for another branch. */
export const under = (base: Base, defaultBranch: string): Base =>
  base.branch === defaultBranch ? base : { ...base, ...Replay.empty, series: {} }

/** The start of the series of a test; null for a test without dropped executions. */
export const seriesOf = (base: Base | undefined, slot: number): Surrogate.SeriesBase | null => {
  const state = base?.slots[slot]?.state
  const series = base?.series[slot]
  return state === undefined || series === undefined ? null : { ...series, state }
}

/** In the totals per day, the day that represents all days before the first stored execution. */
export const day = -1

/** The base as a block with executions up to {@link day}; null when the base is empty. */
export const before = (base: Base) => (isEmpty(base) ? null : { lastDay: day, counts: base.counts })

/** Whether the base holds no test. */
export const isEmpty = ({ slots }: Base): boolean => slots.every((slot) => slot === undefined)

/** The base as a row of `block_bases`, from which the fold restarts for a late execution. */
export const rowOf = ({ at, blockNo, counts, slots }: Base): BlockRows.NewBase => ({
  blockNo,
  at,
  counts,
  packed: BlockState.encode(slots)
})

/** Writes bases, replacing earlier ones. */
export const save = ({ repositoryId, sql }: BlockRows.Where, bases: ReadonlyArray<Base>) => sql`
  INSERT INTO retention_bases (repository_id, block_no, at, branch, counts, state, series)
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.int4s(bases.map(({ blockNo }) => blockNo))},
    ${Parameter.instants(bases.map(({ at }) => at))},
    ${Parameter.texts(bases.map(({ branch }) => branch))},
    ${Parameter.byteas(bases.map(({ counts }) => BlockCounts.encodeClosing(counts)))},
    ${Parameter.byteas(bases.map(({ slots }) => BlockState.encode(slots)))},
    ${Parameter.jsons(bases.map(({ series }) => encodeSeries(series)))}
  ) AS n (block_no, at, branch, counts, state, series)
  ON CONFLICT (repository_id, block_no) DO UPDATE
  SET at = EXCLUDED.at, branch = EXCLUDED.branch, counts = EXCLUDED.counts, state = EXCLUDED.state,
    series = EXCLUDED.series`

const selectRows = ({ repositoryId, sql }: BlockRows.Where, blocks: ReadonlyArray<number>) => sql<{
  readonly block_no: number
  readonly at: Instant.Instant
  readonly branch: string
  readonly counts: Uint8Array
  readonly state: Uint8Array
  readonly series: unknown
}>`
  SELECT block_no, at, branch, counts, state, series
  FROM retention_bases
  WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`
