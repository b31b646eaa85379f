/** The port of the audit log, and its rules over a driver. */
import type { AuditEntry, Instant, Page } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { auditEntries, type AuditRow } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"
import * as Cut from "../driver/Cut.ts"

/** The place of an entry in the log: the log is ordered by time, then id. */
export interface AuditPosition {
  readonly at: Instant.Instant
  readonly id: string
}

/**
 * The entries to list, newest first.
 *
 * **Details**
 *
 * Each condition is null for every value. `owners` and `repository` match without regard to case; entries of the whole server
 * have no owner. `start` is inclusive, `end` exclusive.
 */
export interface AuditQuery {
  readonly owners: ReadonlyArray<string> | null
  readonly repository: string | null
  readonly action: string | null
  readonly actor: string | null
  readonly start: Instant.Instant | null
  readonly end: Instant.Instant | null
  readonly from: Page.From<AuditPosition>
  readonly limit: number
}

/** The outcome of an action, and what it changed. */
export type AuditOutcome = Pick<AuditEntry.AuditEntry, "outcome" | "owner" | "before" | "after">

/**
 * The port of the audit log.
 *
 * **Laws**
 *
 * - An entry comes back as it was written. It belongs to the store and to no repository, so that it outlives one.
 * - An entry changes once: when its outcome is known. A second outcome changes nothing.
 * - Pages of any size follow one another, newest first.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Writes an entry; `false`, and nothing written, when its id is taken. */
    readonly begin: (entry: AuditEntry.AuditEntry) => Effect.Effect<boolean, StoreError>
    /** Writes the outcome of a started entry; `false`, and nothing written, when no started entry has this id. */
    readonly end: (id: string, outcome: AuditOutcome) => Effect.Effect<boolean, StoreError>
    /** One page, newest first, with the number of all entries that match. */
    readonly page: (query: AuditQuery) => Effect.Effect<Page.Page<AuditEntry.AuditEntry>, StoreError>
    /** Drops the entries before an instant, and yields how many. */
    readonly prune: (before: Instant.Instant) => Effect.Effect<number, StoreError>
  }
>()("@lazaret/store/AuditStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): AuditStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): AuditStore["Service"] =>
  AuditStore.of({
    begin: (entry) =>
      driver.transact("AuditStore.begin", null, null, (transaction) =>
        Effect.gen(function* () {
          if ((yield* transaction.count(auditEntries, [["id", "=", entry.id]])) > 0) return false
          yield* transaction.put(auditEntries, [rowOf(entry)])
          return true
        })
      ),
    end: (id, outcome) =>
      driver.transact("AuditStore.end", null, null, (transaction) =>
        Effect.gen(function* () {
          const [row] = yield* transaction.select(auditEntries, { where: [["id", "=", id]], order: [] })
          if (row === undefined || row.outcome !== "started") return false
          yield* transaction.put(auditEntries, [rowOf({ ...entryOf(row), ...outcome })])
          return true
        })
      ),
    page: (query) =>
      driver.read("AuditStore.page", null, (view) =>
        Effect.map(
          view.page(auditEntries, {
            where: conditionsOf(query),
            order: ["at", "id"],
            isDescending: Cut.isForward(query.from),
            ...("position" in query.from && { after: [query.from.position.at, query.from.position.id] }),
            // Read one row more than requested: it shows whether there is a next page.
            limit: query.limit + 1
          }),
          ({ rows, total }) =>
            Cut.page<AuditEntry.AuditEntry, AuditPosition>({ rows: rows.map(entryOf), total }, query.from, query.limit)
        )
      ),
    prune: (before) =>
      driver.transact("AuditStore.prune", null, null, (transaction) =>
        transaction.remove(auditEntries, [["at", "<", before]])
      )
  })

const conditionsOf = ({ action, actor, end, owners, repository, start }: AuditQuery) => {
  const given: ReadonlyArray<Condition<AuditRow> | null> = [
    owners === null ? null : ["ownerKey", "in", owners.map((owner) => owner.toLowerCase())],
    repository === null ? null : ["repositoryKey", "=", repository.toLowerCase()],
    action === null ? null : ["action", "=", action],
    actor === null ? null : ["actorName", "=", actor],
    start === null ? null : ["at", ">=", start],
    end === null ? null : ["at", "<", end]
  ]
  return given.filter((each) => each !== null)
}

const rowOf = ({ actor, owner, repository, ...entry }: AuditEntry.AuditEntry): AuditRow => ({
  ...entry,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
  owner,
  repository,
  ownerKey: owner?.toLowerCase() ?? null,
  repositoryKey: repository?.toLowerCase() ?? null
})

const entryOf = ({
  actorId,
  actorKind,
  actorName,
  ownerKey: _owner,
  repositoryKey: _repository,
  ...entry
}: AuditRow): AuditEntry.AuditEntry => ({ ...entry, actor: { kind: actorKind, id: actorId, name: actorName } })
