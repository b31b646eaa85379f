/** How tests ended before a run: their latest outcomes on the branches that it is compared with. */
import type { FailureRecords, Instant } from "@lazaret/domain"
import { Triages } from "@lazaret/store"
import { Effect, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A request for outcomes: the latest `count` of a test on pushes to a branch. */
export interface Wanted extends TriageRuns.Pushes {
  readonly testNo: number
  readonly count: number
}

/** A text that is equal for the same test, branch, moment and commit only. */
export const key = (wanted: Omit<Wanted, "count" | "jobNo">): string =>
  `${wanted.testNo} ${wanted.before} ${wanted.notCommit} ${wanted.branch}`

/**
 * The outcomes by {@link key}, in any order.
 *
 * **Details**
 *
 * Reads back in steps that become longer, until each test has as many outcomes as are wanted or there are no more.
 */
export const select = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<Wanted>) {
  const found = new Map<string, ReadonlyArray<FailureRecords.OutcomeRecord>>()
  for (const list of Map.groupBy(wanted, ({ count }) => count).values()) {
    let open: ReadonlyArray<Open> = list.map((one) => ({ ...one, until: one.before }))
    for (let round = 0; open.length > 0; round++) open = yield* step(place, open, round, found)
  }
  return found
})

/** A request that is still open: for runs that finished before `until`, where the last step ended. */
interface Open extends Wanted {
  readonly until: Instant.Instant
}

type Found = Map<string, ReadonlyArray<FailureRecords.OutcomeRecord>>

/** One step back; yields what is still wanted. */
const step = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  wanted: ReadonlyArray<Open>,
  round: number,
  found: Found
) {
  const limit = Math.max(2, wanted[0]?.count ?? 0) * 4 ** round
  const groups = [...Map.groupBy(wanted, groupOf).values()].map((members) => ({ members, pushes: pushesOf(members) }))
  const runs = yield* TriageRuns.latestPushes(
    place,
    groups.map(({ pushes }) => pushes),
    limit
  )
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    runs,
    wanted.map(({ testNo }) => testNo)
  )
  const open: Array<Open> = []
  for (const { members, pushes } of groups) {
    const latest = runs.filter((run) => isAmong(place, run, pushes)).sort((a, b) => b.run.at - a.run.at)
    const last = latest[limit - 1]?.run.at ?? null
    const own = last === null ? latest : latest.filter(({ run }) => run.at >= last)
    for (const member of members) {
      const more = own.flatMap((run) => outcomeIn(run, member.testNo) ?? [])
      const all = [...(found.get(key(member)) ?? []), ...more]
      found.set(key(member), all)
      if (last !== null && all.length < member.count) open.push({ ...member, until: last })
    }
  }
  return round === 0 ? yield* withoutUnknown(place, open, found) : open
})

const groupOf = ({ branch, jobNo, notCommit, until }: Open): string => `${jobNo} ${until} ${notCommit} ${branch}`

const pushesOf = ([first]: ReadonlyArray<Open>): TriageRuns.Pushes => ({
  jobNo: first?.jobNo ?? -1,
  branch: first?.branch ?? "",
  before: first?.until ?? 0,
  notCommit: first?.notCommit ?? -1
})

const isAmong = (
  { defaultBranch }: TriageRuns.Place,
  { commitNo, jobNo, run }: TriageRuns.NumberedRun,
  pushes: TriageRuns.Pushes
): boolean =>
  jobNo === pushes.jobNo &&
  commitNo !== pushes.notCommit &&
  run.at < pushes.before &&
  Triages.isPushTo(run, pushes.branch, defaultBranch)

/**
 * The tests that have more executions than outcomes were found. A test that is new on the default branch has none there, and
 * reading back to the beginning would be the most expensive answer of all.
 */
const withoutUnknown = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  wanted: ReadonlyArray<Open>,
  found: Found
) {
  const onDefault = wanted.filter(({ branch }) => branch === place.defaultBranch)
  const totals = yield* totalsOf(
    place,
    onDefault.map(({ testNo }) => Math.floor(testNo / BlockCounts.slots))
  )
  return wanted.filter((member) => {
    const { branch, testNo } = member
    const counts = totals.get(Math.floor(testNo / BlockCounts.slots))
    if (branch !== place.defaultBranch || counts === undefined) return true
    const concluded = BlockCounts.get(counts, testNo % BlockCounts.slots)
    return concluded.executions - concluded.skipped > (found.get(key(member)) ?? []).length
  })
})

/** Totals that cannot be read are absent. A block that was never folded has no executions on the default branch. */
const totalsOf = Effect.fnUntraced(function* (place: TriageRuns.Place, blocks: ReadonlyArray<number>) {
  const { repositoryId, sql } = place
  const wanted = [...new Set(blocks)]
  const found = new Map(wanted.map((blockNo) => [blockNo, BlockCounts.make()]))
  if (wanted.length === 0) return found
  const rows = yield* sql<{ readonly block_no: number; readonly counts: Uint8Array }>`
    SELECT b.block_no, b.counts
    FROM unnest(${Parameter.int4s(wanted)}) AS n (block_no)
    CROSS JOIN LATERAL (
      SELECT block_no, counts
      FROM block_state
      WHERE repository_id = ${repositoryId} AND block_no = n.block_no
      OFFSET 0
    ) b`
  for (const row of rows) {
    const totals = BlockRows.totalsOf(place, row)
    if (Result.isSuccess(totals)) found.set(row.block_no, totals.success)
    else found.delete(row.block_no)
  }
  return found
})
