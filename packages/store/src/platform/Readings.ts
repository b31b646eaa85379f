/** Readings over a driver: the CI runs whose artifacts are to be read. */
import { CiRun, Instant, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, View } from "../Driver.ts"
import { type LeasedReading, ReadingStore } from "./ReadingStore.ts"
import { ciRuns, ownUploads, type ReadingRow, readings } from "../Rows.ts"
import * as Due from "../driver/Due.ts"

const kind: Due.Kind<ReadingRow> = {
  port: "ReadingStore",
  table: readings,
  subjectOf: ({ runId }) => runId,
  row: (runId, { attempts, lease, leasedUntil, nextAt, requests }) => ({
    runId,
    requests,
    nextAt,
    attempts,
    lease,
    leasedUntil
  }),
  where: (runId) => ["runId", "=", runId],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ]
}

/** The port of readings. */
export const make = (driver: Driver["Service"]): ReadingStore["Service"] => {
  const due = Due.make(driver, kind)
  return ReadingStore.of({
    request: due.request,
    lease: (request) =>
      Effect.map(due.lease(request), (all) => all.map(({ subject: runId, ...leased }) => ({ ...leased, runId }))),
    finish: (leased) => due.finish(ofSubject(leased)),
    defer: (leased, until) => due.defer(ofSubject(leased), until),
    uploaded: (ref, at) =>
      driver.transact("ReadingStore.uploaded", ref, null, (transaction) =>
        Effect.flatMap(lastUpload(transaction), (last) =>
          last !== null && last >= at ? Effect.void : transaction.put(ownUploads, [{ at }])
        )
      ),
    noteRun: (ref, run) =>
      driver.transact("ReadingStore.noteRun", ref, null, (transaction) =>
        Effect.gen(function* () {
          const [known] = yield* transaction.select(ciRuns, { where: [["runId", "=", run.runId]], order: [] })
          const latest = known === undefined ? run : CiRun.later(run, known)
          if (latest === known) return
          yield* transaction.put(ciRuns, [latest])
          yield* transaction.remove(ciRuns, [["at", "<", run.at - Instant.day]])
        })
      ),
    runs: (ref, { commits, runIds }) =>
      driver.read("ReadingStore.runs", ref, (view) =>
        Effect.gen(function* () {
          const onCommits = yield* view.select(ciRuns, { where: [["commit", "in", commits]], order: [] })
          const named = yield* view.select(ciRuns, { where: [["runId", "in", runIds]], order: [] })
          const found = new Map([...onCommits, ...named].map((run) => [run.runId, run]))
          return [...found.values()].sort((a, b) => Text.compare(a.runId, b.runId))
        })
      ),
    lastUpload: (ref) => Effect.map(driver.read("ReadingStore.lastUpload", ref, lastUpload), Option.fromNullOr)
  })
}

const lastUpload = (view: View) =>
  Effect.map(view.select(ownUploads, { where: [], order: [] }), ([row]) => row?.at ?? null)

const ofSubject = ({ runId: subject, ...leased }: LeasedReading): Due.Leased => ({ ...leased, subject })
