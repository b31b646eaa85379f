/** Publications over a driver: the commits that are due. */
import { Effect } from "effect"
import type { Driver } from "../Driver.ts"
import { type LeasedPublication, PublicationStore } from "./PublicationStore.ts"
import { type PublicationRow, publications } from "../Rows.ts"
import * as Due from "../driver/Due.ts"

const kind: Due.Kind<PublicationRow> = {
  port: "PublicationStore",
  table: publications,
  subjectOf: ({ commit }) => commit,
  row: (commit, { attempts, lease, leasedUntil, nextAt, requests }) => ({
    commit,
    requests,
    nextAt,
    attempts,
    lease,
    leasedUntil
  }),
  where: (commit) => ["commit", "=", commit],
  waiting: (now) => [
    ["nextAt", "<=", now],
    ["leasedUntil", "<=", now]
  ]
}

/** The port of publications. */
export const make = (driver: Driver["Service"]): PublicationStore["Service"] => {
  const due = Due.make(driver, kind)
  return PublicationStore.of({
    request: due.request,
    lease: (request) =>
      Effect.map(due.lease(request), (all) => all.map(({ subject: commit, ...leased }) => ({ ...leased, commit }))),
    finish: (leased) => due.finish(ofSubject(leased)),
    defer: (leased, until) => due.defer(ofSubject(leased), until)
  })
}

const ofSubject = ({ commit: subject, ...leased }: LeasedPublication): Due.Leased => ({ ...leased, subject })
