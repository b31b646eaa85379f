/** The rule of storable text, instants and numbers: what a driver never gets to see. */
import { type Execution, Instant, type Report, Text } from "@lazaret/domain"
import { Effect, Schema } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import * as Slices from "./Slices.ts"
import { StoreError } from "../StoreError.ts"
import type { Condition, Query } from "./Table.ts"

/** Whether every store can keep a text: it holds no NUL character and no lone surrogate. */
export const isStorable: (text: string) => boolean = Schema.is(Text.Storable)

/** Whether every store can keep the texts of a value, at whatever depth. */
export const isStorableWithin = (value: unknown): boolean => {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  for (const part of Object.values(value)) if (!isStorableWithin(part)) return false
  return true
}

/** Whether every store can keep a report: without a walk over the fields of each execution. */
const isStorableReport = ({ executions, ...report }: Report.Report): Effect.Effect<boolean> =>
  isInstant(report.receivedAt) && isStorableWithin(report)
    ? Slices.every(executions, executionsAtOnce, isStorableExecution)
    : Effect.succeed(false)

const isStorableExecution = (execution: Execution.Execution): boolean =>
  isInstant(execution.at) &&
  execution.durationMs >= 0 &&
  Number.isFinite(execution.durationMs) &&
  execution.reruns >= 0 &&
  execution.reruns <= mostReruns &&
  Number.isInteger(execution.reruns) &&
  isStorableWithin(execution.testName) &&
  isStorableWithin(execution.filepath) &&
  isStorableWithin(execution.functionName) &&
  isStorableWithin(execution.exception)

/** The largest number of a column of four bytes. */
const mostReruns = 2_147_483_647

/** As the schema says, without its cost for each execution. */
const isInstant = (at: number): boolean => at >= 0 && at <= Instant.latest && Number.isSafeInteger(at)

const executionsAtOnce = 4096

/** Refuses an operation with a value that holds a text which cannot be stored. */
export const require = (operation: string, value: unknown): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => (isStorableWithin(value) ? Effect.void : refused(operation)))

const refused = (operation: string): Effect.Effect<never, StoreError> => {
  const cause = new Error("a text holds a NUL character or a lone surrogate, or a number or a time is out of range")
  return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
}

/**
 * A driver that refuses to write what cannot be stored, and finds no row by it.
 *
 * **Details**
 *
 * An engine could refuse such a text with an error of its own, or replace a part of it: another text than the caller's
 * would be stored, or looked for.
 */
export const guarded = (driver: Driver["Service"]): Driver["Service"] => ({
  ...driver,
  read: (operation, scope, body) => driver.read(operation, scope, (view) => body(guardedView(view))),
  snapshot: (operation, scope, body) => driver.snapshot(operation, scope, (view) => body(guardedView(view))),
  transact: (operation, scope, at, body) =>
    driver.transact(operation, scope, at, (transaction) => body(guardedTransaction(operation, transaction))),
  regroup: (operation, ref, at, body) =>
    driver.regroup(operation, ref, at, (transaction) => body(guardedTransaction(operation, transaction))),
  configure: (operation, ref, at, decide) =>
    driver.configure(operation, ref, at, (held) =>
      Effect.tap(decide(held), (settings) => require(operation, settings))
    ),
  triage: {
    failures: (ref, subject, windows) =>
      isStorableWithin(subject) ? driver.triage.failures(ref, subject, windows) : Effect.succeedNone,
    asked: (ref, asked, windows) =>
      Effect.andThen(require("TriageStore.asked", asked), driver.triage.asked(ref, asked, windows)),
    signatures: (ref, wanted) => {
      const kept = wanted.filter(({ testName }) => isStorable(testName))
      return Effect.map(driver.triage.signatures(ref, kept), (found) => {
        const of = new Map(kept.map((one, index) => [one, found[index] ?? []]))
        return wanted.map((one) => of.get(one) ?? [])
      })
    },
    commits: driver.triage.commits,
    reruns: driver.triage.reruns
  },
  executions: {
    ...driver.executions,
    append: (ref, report) =>
      Effect.flatMap(isStorableReport(report), (isKept) =>
        isKept ? driver.executions.append(ref, report) : refused("ExecutionStore.append")
      )
  }
})

const guardedView = (view: View): View => ({
  head: view.head,
  select: (table, query) => {
    const found = findable(query.where)
    return found === null ? Effect.succeed([]) : view.select(table, { ...query, where: found } satisfies Query<never>)
  },
  page: (table, query) => {
    const found = findable(query.where)
    return found === null ? Effect.succeed({ rows: [], total: 0 }) : view.page(table, { ...query, where: found })
  },
  count: (table, where) => {
    const found = findable(where)
    return found === null ? Effect.succeed(0) : view.count(table, found)
  },
  distinct: (table, field, where) => {
    const found = findable(where)
    return found === null ? Effect.succeed([]) : view.distinct(table, field, found)
  }
})

const guardedTransaction = (operation: string, transaction: Transaction): Transaction => ({
  ...guardedView(transaction),
  put: (table, rows) => Effect.andThen(require(operation, rows), transaction.put(table, rows)),
  log: (events) => Effect.andThen(require(operation, events), transaction.log(events)),
  remove: (table, where) => {
    const found = findable(where)
    return found === null ? Effect.succeed(0) : transaction.remove(table, found)
  }
})

/** The conditions without the texts that no row can have; null when no row can meet them. */
const findable = <Row extends object>(where: ReadonlyArray<Condition<Row>>): ReadonlyArray<Condition<Row>> | null => {
  const found: Array<Condition<Row>> = []
  for (const condition of where) {
    if (condition[1] === "in") {
      found.push([condition[0], "in", condition[2].filter((value) => typeof value !== "string" || isStorable(value))])
    } else if (typeof condition[2] === "string" && !isStorable(condition[2])) return null
    else found.push(condition)
  }
  return found
}
