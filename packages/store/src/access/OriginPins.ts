/** Pins over a driver. */
import { OriginPin } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, View } from "../Driver.ts"
import { type OriginPinRow, originPins } from "../Rows.ts"
import { PinStore } from "./PinStore.ts"

/** The port of pins. */
export const make = (driver: Driver["Service"]): PinStore["Service"] =>
  PinStore.of({
    confirm: (pins) =>
      Effect.gen(function* () {
        // A known name, which nearly every upload has, writes nothing and waits for no other writer.
        const known = yield* driver.read("PinStore.confirm", null, (view) => stored(view, pins))
        if (known.length === pins.length) return contradiction(known, pins)
        return yield* driver.transact("PinStore.confirm", null, null, (transaction) =>
          Effect.gen(function* () {
            const rows = yield* stored(transaction, pins)
            const found = contradiction(rows, pins)
            if (Option.isSome(found)) return found
            const subjects = new Set(rows.map(({ subject }) => subject))
            const added = pins.map(rowOf).filter(({ subject }) => !subjects.has(subject))
            yield* transaction.put(originPins, added)
            return Option.none()
          })
        )
      }),
    list: driver.read("PinStore.list", null, (view) =>
      Effect.map(view.select(originPins, { where: [], order: ["createdAt", "id"] }), (rows) => rows.map(pinOf))
    ),
    remove: (id) =>
      driver.transact("PinStore.remove", null, null, (transaction) =>
        Effect.map(transaction.remove(originPins, [["id", "=", id]]), (count) => count > 0)
      )
  })

const stored = (view: View, pins: ReadonlyArray<OriginPin.OriginPin>) =>
  view.select(originPins, { where: [["subject", "in", pins.map(OriginPin.subject)]], order: ["subject"] })

/** The stored pin of which one of these says something else. */
const contradiction = (
  rows: ReadonlyArray<OriginPinRow>,
  pins: ReadonlyArray<OriginPin.OriginPin>
): Option.Option<OriginPin.OriginPin> => {
  const ids = new Map(pins.map((pin) => [OriginPin.subject(pin), pin.platformId]))
  return Option.map(Option.fromUndefinedOr(rows.find((row) => ids.get(row.subject) !== row.platformId)), pinOf)
}

const rowOf = (pin: OriginPin.OriginPin): OriginPinRow => ({ ...pin, subject: OriginPin.subject(pin) })

const pinOf = ({ subject: _subject, ...pin }: OriginPinRow): OriginPin.OriginPin => pin
