/** The port of pins, and its rules over a driver: what the names of owners and repositories stand for at the issuers of tokens. */
import { OriginPin } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, View } from "../Driver.ts"
import { type OriginPinRow, originPins } from "../Rows.ts"

/**
 * The port of pins.
 *
 * **Details**
 *
 * Pins belong to names, like keys: one exists before the first report of its repository, and stays when the repository is removed.
 */
export class PinStore extends Context.Service<
  PinStore,
  {
    /**
     * Stores the pins whose `OriginPin.subject` is new, and yields none. When a stored one has another `platformId`, stores nothing
     * and yields the stored one. Of concurrent calls for one subject the first decides.
     */
    readonly confirm: (
      pins: ReadonlyArray<OriginPin.OriginPin>
    ) => Effect.Effect<Option.Option<OriginPin.OriginPin>, StoreError>
    /** All pins in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<OriginPin.OriginPin>, StoreError>
    /** Removes a pin, and yields whether there was one: the next token of the name makes a new one. */
    readonly remove: (id: string) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/PinStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): PinStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): PinStore["Service"] =>
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
