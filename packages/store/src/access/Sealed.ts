/** The rule of sealed secrets: what a driver keeps of them, and what the other rules see. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, Scope, Transaction, View } from "../Driver.ts"
import { notifiers, subscriptions, wideNotifiers } from "../Rows.ts"
import * as Sealer from "./Sealer.ts"
import { SecretStore } from "./SecretStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { Table } from "../driver/Table.ts"

/**
 * A driver whose tables keep their secrets (`Table.secrets`) sealed.
 *
 * **Details**
 *
 * The place of a secret is its table, repository, row and field: a sealed text that is copied to another row cannot be opened there.
 */
export const over = (driver: Driver["Service"], sealer: Sealer.Sealer): Driver["Service"] => ({
  ...driver,
  read: (operation, scope, body) => driver.read(operation, scope, (view) => body(viewOf(view, scope, sealer))),
  snapshot: (operation, scope, body) => driver.snapshot(operation, scope, (view) => body(viewOf(view, scope, sealer))),
  transact: (operation, scope, at, body) =>
    driver.transact(operation, scope, at, (transaction) => body(transactionOf(transaction, scope, sealer))),
  scan: (operation, table, where) =>
    Effect.map(driver.scan(operation, table, where), (found) =>
      found.map(({ ref, row }) => ({ ref, row: openedRow({ table, scope: ref, sealer }, row) }))
    )
})

const viewOf = (view: View, scope: Scope, sealer: Sealer.Sealer): View => ({
  ...view,
  select: (table, query) =>
    Effect.map(view.select(table, query), (rows) => rows.map((row) => openedRow({ table, scope, sealer }, row))),
  page: (table, query) =>
    Effect.map(view.page(table, query), ({ rows, total }) => ({
      rows: rows.map((row) => openedRow({ table, scope, sealer }, row)),
      total
    }))
})

const transactionOf = (transaction: Transaction, scope: Scope, sealer: Sealer.Sealer): Transaction => ({
  ...transaction,
  ...viewOf(transaction, scope, sealer),
  put: (table, rows) =>
    transaction.put(
      table,
      rows.map((row) => sealedRow({ table, scope, sealer }, row))
    )
})

/** The table and the repository of a row, and its sealer. */
interface Place<Row extends object> {
  readonly table: Table<Row>
  readonly scope: Scope
  readonly sealer: Sealer.Sealer
}

const sealedRow = <Row extends object>(place: Place<Row>, row: Row): Row =>
  withSecrets(place, row, (text, at) => Sealer.sealed(place.sealer, text, at))

const openedRow = <Row extends object>(place: Place<Row>, row: Row): Row =>
  withSecrets(place, row, (text, at) => Sealer.opened(place.sealer, text, at))

const withSecrets = <Row extends object>(
  { scope, table }: Place<Row>,
  row: Row,
  change: (text: string, at: string) => string
): Row => {
  if (table.secrets === undefined) return row
  const parts = [
    table.name,
    scope === null ? "" : Repository.key(scope),
    ...table.key.map((field) => String(row[field]))
  ]
  return table.secrets(row, (text, field) => change(text, [...parts, field].join("\0")))
}

/** The port of stored secrets over a driver that keeps rows as they are. */
export const make = (driver: Driver["Service"], sealer: Sealer.Sealer): SecretStore["Service"] =>
  SecretStore.of({
    renew: Effect.gen(function* () {
      const found = yield* Effect.all([
        renewed(driver, subscriptions, sealer),
        renewed(driver, notifiers, sealer),
        renewed(driver, wideNotifiers, sealer)
      ])
      return {
        renewed: found.reduce((sum, each) => sum + each.renewed, 0),
        unknown: [...new Set(found.flatMap(({ unknown }) => unknown))]
      }
    })
  })

const renewed = <Row extends object>(driver: Driver["Service"], table: Table<Row>, sealer: Sealer.Sealer) =>
  Effect.gen(function* () {
    const stale = (yield* everyRow(driver, table)).filter(({ row, scope }) =>
      secretsOf({ table, scope, sealer }, row).some(({ kept }) => !sealer.isCurrent(kept))
    )
    const scopes = new Map(stale.map(({ scope }) => [scope === null ? "" : Repository.key(scope), scope]))
    const counts = yield* Effect.forEach([...scopes.values()], (scope) => renewIn(driver, { table, scope, sealer }))
    const unknown = stale.flatMap(({ row, scope }) =>
      secretsOf({ table, scope, sealer }, row).flatMap(({ at, kept }) =>
        Sealer.isSealed(kept) && sealer.open(kept, at) === null ? [Sealer.keyOf(kept)] : []
      )
    )
    return { renewed: counts.reduce((sum, each) => sum + each, 0), unknown }
  })

/** The rows of a table, each with its scope. */
const everyRow = <Row extends object>(driver: Driver["Service"], table: Table<Row>) =>
  table.scope === "store"
    ? Effect.map(
        driver.read(operation, null, (view) => view.select(table, { where: [], order: [] })),
        (rows) => rows.map((row) => ({ scope: null, row }))
      )
    : Effect.map(driver.scan(operation, table, []), (found) => found.map(({ ref, row }) => ({ scope: ref, row })))

const operation = "SecretStore.renew"

/** Reads the rows of a scope again, in the transaction that writes them. */
const renewIn = <Row extends object>(driver: Driver["Service"], place: Place<Row>): Effect.Effect<number, StoreError> =>
  driver.transact(operation, place.scope, null, (transaction) =>
    Effect.gen(function* () {
      const rows = yield* transaction.select(place.table, { where: [], order: [] })
      const changed = rows
        .map((row) => ({ before: row, after: sealedRow(place, openedRow(place, row)) }))
        .filter(({ after, before }) =>
          secretsOf(place, after).some(
            ({ kept }, index) =>
              place.sealer.isCurrent(kept) && !place.sealer.isCurrent(secretsOf(place, before)[index]?.kept ?? kept)
          )
        )
      yield* transaction.put(
        place.table,
        changed.map(({ after }) => after)
      )
      return changed.length
    })
  )

/** The secrets of a row as they are stored, each with its place. */
const secretsOf = <Row extends object>(place: Place<Row>, row: Row) => {
  const found: Array<{ readonly kept: string; readonly at: string }> = []
  withSecrets(place, row, (kept, at) => {
    found.push({ kept, at })
    return kept
  })
  return found
}
