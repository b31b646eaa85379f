/** The use cases of pins: whether the name in a token of a CI system still stands for whom it stood for at first (our choice). */
import { type AuditEntry, Credential, OriginPin, Role, type UploadOrigin } from "@lazaret/domain"
import { PinStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { note } from "../answer/AuditNote.ts"
import { PinNotFound, TokenRefused } from "../answer/ServiceError.ts"
import { NewId } from "../ports/NewId.ts"

/**
 * Pins the names of owners and repositories to the numbers in the first token, and removes pins.
 *
 * **Details**
 *
 * `list` and `remove` reach the pins of the owners that the caller administers.
 */
export class OriginPins extends Context.Service<
  OriginPins,
  {
    /** Succeeds for the first token of a name, and for those with the same numbers. Any other token is refused. */
    readonly confirm: (origin: UploadOrigin.TokenOrigin) => Effect.Effect<void, TokenRefused | StoreError>
    /** The pins within reach, oldest first. */
    readonly list: (caller: Credential.Principal) => Effect.Effect<ReadonlyArray<OriginPin.OriginPin>, StoreError>
    /** Removes a pin: the next token of the name makes a new one. */
    readonly remove: (caller: Credential.Principal, id: string) => Effect.Effect<void, PinNotFound | StoreError>
  }
>()("@lazaret/services/OriginPins") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    OriginPins,
    Effect.gen(function* () {
      const store = yield* PinStore
      const newId = yield* NewId

      const confirm = Effect.fn("OriginPins.confirm")(function* (origin: UploadOrigin.TokenOrigin) {
        const pins = OriginPin.of(origin, [yield* newId, yield* newId], yield* Clock.currentTimeMillis)
        const found = yield* store.confirm(pins)
        if (Option.isSome(found)) return yield* new TokenRefused({ reason: reasonOf(found.value, pins) })
      })

      const list = Effect.fn("OriginPins.list")(function* (caller: Credential.Principal) {
        const grants = Credential.grantsOf(caller)
        return (yield* store.list).filter(({ owner }) => Role.administers(grants, owner))
      })

      const remove = Effect.fn("OriginPins.remove")(function* (caller: Credential.Principal, id: string) {
        const found = (yield* list(caller)).find((pin) => pin.id === id)
        if (found === undefined) return yield* new PinNotFound({ pinId: id })
        yield* note({ owner: found.owner, before: noteOf(found) })
        yield* store.remove(id)
      })

      return OriginPins.of({ confirm, list, remove })
    })
  )
}

const reasonOf = (pin: OriginPin.OriginPin, pins: ReadonlyArray<OriginPin.OriginPin>): string => {
  const stated = pins.find((each) => (each.repository === null) === (pin.repository === null))?.platformId ?? ""
  const name = pin.repository === null ? `The owner ${pin.owner}` : `The repository ${pin.owner}/${pin.repository}`
  return (
    `${name} has the number ${pin.platformId} at ${pin.issuer} since its first upload, and the token is of the number ${stated}: ` +
    "the name was registered again, perhaps by somebody else. If it is still yours, an admin removes the pin " +
    `(lazaret pins remove ${pin.id}).`
  )
}

const noteOf = ({ createdAt: _at, ...pin }: OriginPin.OriginPin): AuditEntry.Fields => pin
