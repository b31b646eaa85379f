/** The encryption of secrets that must be read back. */
import { Context } from "effect"

/** The first characters of a sealed text; no secret that is stored begins with them. */
export const prefix = "sealed:v1:"

/** Whether a stored text is sealed. */
export const isSealed = (kept: string): boolean => kept.startsWith(prefix)

/** The id of the key that sealed a text. */
export const keyOf = (sealed: string): string => sealed.slice(prefix.length).split(":", 1)[0] ?? ""

/**
 * Seals secrets before they are stored.
 *
 * **Laws**
 *
 * - `open(seal(text, place), place)` is the text. At any other place, and of any changed text, it is null.
 * - A sealed text begins with `prefix` and the id of its key, and reveals only the length of the secret.
 */
export interface Sealer {
  readonly seal: (text: string, place: string) => string
  /** The text of a sealed one; null when it was changed, belongs to another place, or its key is unknown. */
  readonly open: (sealed: string, place: string) => string | null
  /** Whether a stored text is as `seal` would store it now: with the newest key, or plain without keys. */
  readonly isCurrent: (kept: string) => boolean
}

/** The sealer of the stores; without one, secrets are stored as they are. */
export const Sealer: Context.Reference<Sealer> = Context.Reference<Sealer>("@lazaret/store/Sealer", {
  defaultValue: () => ({
    seal: (text) => text,
    open: () => null,
    isCurrent: (kept) => !isSealed(kept)
  })
})

/** A secret as it is stored. One that could not be opened stays as it was. */
export const sealed = (sealer: Sealer, text: string, place: string): string =>
  isSealed(text) ? text : sealer.seal(text, place)

/** A stored secret as it is used: that of a server without a key is plain, and one that cannot be opened stays sealed. */
export const opened = (sealer: Sealer, kept: string, place: string): string =>
  isSealed(kept) ? (sealer.open(kept, place) ?? kept) : kept
