/** The audit log over a driver. */
import type { AuditEntry } from "@lazaret/domain"
import { Effect } from "effect"
import { type AuditPosition, type AuditQuery, AuditStore } from "./AuditStore.ts"
import type { Driver } from "../Driver.ts"
import { type AuditRow, auditEntries } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"
import * as Cut from "../driver/Cut.ts"

/** The port of the audit log. */
export const make = (driver: Driver["Service"]): AuditStore["Service"] =>
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
            // One more than asked for says whether the list goes on.
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
