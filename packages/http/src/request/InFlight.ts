/** A budget of the bytes of request bodies that are held in memory at the same time, in all and for each caller. */
import { Deferred, type Duration, Effect } from "effect"

/**
 * The limits of a budget, in bytes.
 *
 * **Details**
 *
 * - `shared`: what all bodies may hold together; `perCaller`, what those of one caller may hold of it.
 * - `largest`: the largest body. One body at a time may hold this much in addition to the others, so that a body that is
 *   larger than the rest of the budget is read after all, and bodies that wait for one another always go on.
 * - `patience`: how long a body waits for its bytes.
 * - `onLargest`: called when one body has taken the place of the largest body, and when that place is free again.
 */
export interface Limits {
  readonly shared: number
  readonly perCaller: number
  readonly largest: number
  readonly patience: Duration.Input
  readonly onLargest?: (isTaken: boolean) => void
}

/** The bytes of one body. */
export interface Reservation {
  /** Makes the reservation at least this large; waits while the budget is exhausted, `false` when that took too long. */
  readonly grow: (bytes: number) => Effect.Effect<boolean>
  /** Gives the bytes back that a body does not need, now that its size is known. Never waits. */
  readonly settle: (bytes: number) => Effect.Effect<void>
  /** Gives all bytes back. */
  readonly release: Effect.Effect<void>
}

/** The budget: how many bytes are reserved, and reservations of callers. */
export interface InFlight {
  readonly reserved: () => number
  readonly open: (caller: string) => Reservation
}

interface Holder {
  readonly caller: string
  /** The bytes of the shared budget; those of the holder of the largest body are not counted. */
  shared: number
  isLargest: boolean
}

interface Waiter {
  readonly holder: Holder
  readonly bytes: number
  readonly granted: Deferred.Deferred<boolean>
}

/**
 * Makes a budget.
 *
 * **Details**
 *
 * Whenever bytes are given back, the bodies that wait are asked in the order in which they came. So whenever a further body
 * comes, none of those that wait fits, and a body that fits need not wait.
 */
export const make = ({ largest, onLargest, patience, perCaller, shared }: Limits): InFlight => {
  const callers = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let total = 0
  let isLargestTaken = false

  const hold = (holder: Holder, bytes: number): void => {
    const change = bytes - holder.shared
    const ofCaller = (callers.get(holder.caller) ?? 0) + change
    if (ofCaller === 0) callers.delete(holder.caller)
    else callers.set(holder.caller, ofCaller)
    total += change
    holder.shared = bytes
  }

  const setLargest = (holder: Holder, isLargest: boolean): void => {
    holder.isLargest = isLargest
    isLargestTaken = isLargest
    onLargest?.(isLargest)
  }

  const fits = ({ caller, shared: held }: Holder, bytes: number): boolean =>
    total + bytes - held <= shared && (callers.get(caller) ?? 0) + bytes - held <= perCaller

  const grant = (holder: Holder, bytes: number): boolean => {
    if (holder.isLargest || bytes <= holder.shared) return true
    if (fits(holder, bytes)) {
      hold(holder, bytes)
      return true
    }
    if (isLargestTaken || bytes > largest) return false
    setLargest(holder, true)
    hold(holder, 0)
    return true
  }

  const wake = (): void => {
    for (const waiter of waiting) {
      if (!grant(waiter.holder, waiter.bytes)) continue
      waiting.delete(waiter)
      Deferred.doneUnsafe(waiter.granted, Effect.succeed(true))
    }
  }

  const shrink = (holder: Holder, bytes: number): void => {
    if (holder.isLargest) setLargest(holder, false)
    hold(holder, bytes)
    wake()
  }

  const wait = (holder: Holder, bytes: number): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const waiter = { holder, bytes, granted: Deferred.makeUnsafe<boolean>() }
      waiting.add(waiter)
      return Deferred.await(waiter.granted).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) }),
        Effect.ensuring(Effect.sync(() => waiting.delete(waiter)))
      )
    })

  return {
    reserved: () => total + (isLargestTaken ? largest : 0),
    open: (caller) => {
      const holder: Holder = { caller, shared: 0, isLargest: false }
      return {
        grow: (bytes) => Effect.suspend(() => (grant(holder, bytes) ? Effect.succeed(true) : wait(holder, bytes))),
        settle: (bytes) => Effect.sync(() => (fits(holder, bytes) ? shrink(holder, bytes) : undefined)),
        release: Effect.sync(() => shrink(holder, 0))
      }
    }
  }
}
