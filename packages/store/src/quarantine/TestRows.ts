/** The rows about one test: quarantines, its issue, verdicts on its failures with their marks, its stress runs, and the events of the log. */
import type { TestId } from "@lazaret/domain"
import { Effect } from "effect"
import type { Transaction } from "../Driver.ts"
import * as Aliases from "../report/Aliases.ts"
import { deadLetters, events, firstVerdicts, quarantines, stressRuns, testIssues } from "../Rows.ts"

/** Removes the rows about a test under all of its names, and yields their number. */
export const removeAll = Effect.fnUntraced(function* (rows: Transaction, testId: TestId.TestId) {
  let removed = 0
  for (const id of (yield* Aliases.namesIn(rows)).idsOf(testId)) removed += yield* remove(rows, id)
  return removed
})

/** Removes the rows about a test, and yields their number. */
const remove = Effect.fnUntraced(function* (rows: Transaction, testId: TestId.TestId) {
  const ended = yield* rows.remove(quarantines, [["testId", "=", testId]])
  const judged = yield* rows.remove(firstVerdicts, [["testId", "=", testId]])
  const stressed = yield* rows.remove(stressRuns, [["testId", "=", testId]])
  const letters = yield* rows.select(deadLetters, { where: [], order: [] })
  for (const { event, eventId, subscriptionId } of letters) {
    if (event.testId !== testId) continue
    yield* rows.remove(deadLetters, [
      ["subscriptionId", "=", subscriptionId],
      ["eventId", "=", eventId]
    ])
  }
  const issues = yield* removeIssue(rows, testId)
  return ended + judged + stressed + issues + (yield* removeEvents(rows, testId))
})

/** The record stays without the name of the test, so that the text of its issue is replaced. */
const removeIssue = Effect.fnUntraced(function* (rows: Transaction, testId: TestId.TestId) {
  const [row] = yield* rows.select(testIssues, { where: [["testId", "=", testId]], order: [] })
  if (row === undefined || row.testName === "") return 0
  yield* rows.put(testIssues, [{ ...row, testName: "", urgent: "", detail: "" }])
  return 1
})

/** Reads the log in parts: the test of an event is in its document. */
const removeEvents = Effect.fnUntraced(function* (rows: Transaction, testId: TestId.TestId) {
  let removed = 0
  let position = 0
  for (;;) {
    const where = [["position", ">", position]] as const
    const some = yield* rows.select(events, { where, order: ["position"], limit: eventsAtOnce })
    const ids = some.filter(({ event }) => event.testId === testId).map(({ id }) => id)
    if (ids.length > 0) removed += yield* rows.remove(events, [["id", "in", ids]])
    const last = some.at(-1)
    if (last === undefined || some.length < eventsAtOnce) return removed
    position = last.position
  }
})

const eventsAtOnce = 1000
