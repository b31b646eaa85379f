/** Merge queues over a driver: the log, the pause and the configuration. */
import { Event, QueuePause, Text } from "@lazaret/domain"
import { QueueConfiguration } from "@lazaret/queue"
import { Effect, Option, Result } from "effect"
import type { Driver, View } from "../Driver.ts"
import { QueueStore } from "./QueueStore.ts"
import * as Engines from "./Engines.ts"
import * as QueueLog from "./QueueLog.ts"
import { configurations, pauses, type PauseRow, queueEvents } from "../Rows.ts"

/** The port of merge queues. */
export const make = (driver: Driver["Service"]): QueueStore["Service"] =>
  QueueStore.of({
    append: (ref, events, at) =>
      driver.transact("QueueStore.append", ref, at, (transaction) => QueueLog.append(transaction, events)),
    queue: (ref) => driver.snapshot("QueueStore.queue", ref, QueueLog.queue),
    snapshot: (ref) =>
      driver.snapshot("QueueStore.snapshot", ref, (view) =>
        Effect.all({ queue: QueueLog.queue(view), pause: pauseIn(view), configuration: configurationIn(view) })
      ),
    baseRefs: (ref, window) =>
      driver.read("QueueStore.baseRefs", ref, (view) =>
        Effect.map(
          view.distinct(queueEvents, "branch", [
            ["at", ">=", window.start],
            ["at", "<", window.end]
          ]),
          (branches) => branches.toSorted(Text.compare)
        )
      ),
    pause: (ref) => driver.read("QueueStore.pause", ref, (view) => Effect.map(pauseIn(view), Option.fromNullOr)),
    setPause: (ref, reason, { at, by }) =>
      driver.transact("QueueStore.setPause", ref, at, (transaction) =>
        Effect.gen(function* () {
          const before = yield* pauseIn(transaction)
          const pause = QueuePause.pause(before, reason, at)
          yield* transaction.put(pauses, [{ reason, pausedAt: pause.pauseDate }])
          if (before?.reason !== reason) {
            yield* transaction.log([Event.paused(pause, at, by)])
            yield* Engines.broadcast(transaction, { kind: "pause_set", reason, by }, { at, except: null })
          }
          return pause
        })
      ),
    removePause: (ref, { at, by }) =>
      driver.transact("QueueStore.removePause", ref, null, (transaction) =>
        Effect.gen(function* () {
          const pause = yield* pauseIn(transaction)
          if (pause === null) return false
          yield* transaction.remove(pauses, [])
          yield* transaction.log([Event.unpaused(pause, at, by)])
          yield* Engines.broadcast(transaction, { kind: "pause_cleared", by }, { at, except: null })
          return true
        })
      ),
    configuration: (ref) =>
      driver.read("QueueStore.configuration", ref, (view) => Effect.map(configurationIn(view), Option.fromNullOr)),
    setConfiguration: (ref, text, at) =>
      driver.transact("QueueStore.setConfiguration", ref, at, (transaction) =>
        text === null
          ? Effect.asVoid(transaction.remove(configurations, []))
          : Effect.flatMap(lastValidIn(transaction), (held) =>
              transaction.put(configurations, [{ configuration: text, lastValid: isValid(text) ? text : held }])
            )
      ),
    lastValidConfiguration: (ref) =>
      driver.read("QueueStore.lastValidConfiguration", ref, (view) => Effect.map(lastValidIn(view), Option.fromNullOr))
  })

const pauseIn = (view: View) =>
  Effect.map(view.select(pauses, { where: [], order: [] }), ([row]) => (row === undefined ? null : pauseOf(row)))

const pauseOf = ({ pausedAt, reason }: PauseRow): QueuePause.QueuePause => ({ reason, pauseDate: pausedAt })

const configurationIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => row?.configuration ?? null)

/** Before the column was there, only the text was kept. */
const lastValidIn = (view: View) =>
  Effect.map(view.select(configurations, { where: [], order: [] }), ([row]) => {
    if (row === undefined) return null
    return row.lastValid ?? (isValid(row.configuration) ? row.configuration : null)
  })

const isValid = (text: string): boolean => Result.isSuccess(QueueConfiguration.parseAll(text))
