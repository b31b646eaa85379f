/** In how many job runs a message was seen before. */
import { type FailureFacts, type FailurePolicy, Instant, JobRecord, Report } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as FailedExecutions from "./FailedExecutions.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A failure with the number of its commit. */
export interface Wanted {
  readonly failure: FailureFacts.FailedExecution
  readonly commitNo: number
}

/** Finds in how many job runs the signature of one of the wanted failures was seen; null without a signature. */
export const before = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  wanted: ReadonlyArray<Wanted>,
  { memoryDays }: Pick<FailurePolicy.Windows, "memoryDays">
) {
  const distinct = [
    ...new Map(
      wanted.flatMap((one) =>
        one.failure.signature === null ? [] : [[keyOf(one), { ...one, signature: one.failure.signature }]]
      )
    ).values()
  ]
  const rows = distinct.length === 0 ? [] : yield* select(place, distinct, memoryDays)
  const found = new Map(
    rows.flatMap(({ index, runs }) => {
      const one = distinct[index - 1]
      return one === undefined ? [] : [[keyOf(one), runs] as const]
    })
  )
  return (one: Wanted): number | null => (one.failure.signature === null ? null : (found.get(keyOf(one)) ?? 0))
})

const keyOf = ({ commitNo, failure }: Wanted): string =>
  `${failure.signature} ${failure.at} ${commitNo} ${forkOf(failure)}`

/** The branch of the only fork that counts, or ''. */
const forkOf = (failure: FailureFacts.FailedExecution): string => (Report.isFork(failure) ? failure.branch : "")

const select = (
  place: TriageRuns.Place,
  wanted: ReadonlyArray<Wanted & { readonly signature: string }>,
  days: number
) => place.sql<{ readonly index: number; readonly runs: number }>`
  SELECT n.index::int AS index, count(*)::int AS runs
  FROM unnest(
    ${Parameter.uuids(wanted.map(({ signature }) => signature))},
    ${Parameter.instants(wanted.map(({ failure }) => Math.max(failure.at - days * Instant.day, place.horizon)))},
    ${Parameter.instants(wanted.map(({ failure }) => failure.at))},
    ${Parameter.int4s(wanted.map(({ commitNo }) => commitNo))},
    ${Parameter.texts(wanted.map(({ failure }) => forkOf(failure)))}
  ) WITH ORDINALITY AS n (signature, start_at, before, not_commit, fork, index)
  CROSS JOIN LATERAL (
    SELECT run_no
    FROM failure_sightings e
    WHERE repository_id = ${place.repositoryId} AND signature = n.signature AND at >= n.start_at AND at < n.before
      AND ${FailedExecutions.ofRun(place, place.sql`commit_no <> n.not_commit AND (branch = n.fork OR ${TriageRuns.ofNoFork(place)})`)}
    ORDER BY at DESC
    LIMIT ${JobRecord.bounds.seen}
  ) s
  GROUP BY n.index`
