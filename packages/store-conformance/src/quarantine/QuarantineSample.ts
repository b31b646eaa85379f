/** Questions and records for the laws of quarantines. */
import type { Quarantine, Repository } from "@lazaret/domain"
import { type QuarantineQuery, QuarantineStore } from "@lazaret/store"
import { Effect } from "effect"
import * as Sample from "../law/Sample.ts"

/** The ids of the quarantines that a query finds. */
export const list = (ref: Repository.RepositoryRef, query: Partial<QuarantineQuery> = {}) =>
  Effect.map(
    QuarantineStore.use((store) => store.page(ref, Sample.listing(query))),
    ({ rows }) => rows.map(({ id }) => id)
  )

/** A question for the quarantined among tests. */
export const among = (testNames: ReadonlyArray<string>, branch: string | null, now = Sample.noon) => ({
  testNames,
  branch,
  now
})

/** Inserts a quarantine. */
export const insert = (ref: Repository.RepositoryRef, ...[id, parts]: Parameters<typeof Sample.quarantine>) =>
  QuarantineStore.use((store) => store.insert(ref, Sample.quarantine(id, parts)))

/** A quarantine that the automation proposes. */
export const proposal = (id: string, parts: Partial<Quarantine.Quarantine> = {}) => ({
  quarantine: Sample.quarantine(id, { testName: id, source: "auto", createdBy: "auto", ...parts }),
  evidence: { executions: 20 }
})
