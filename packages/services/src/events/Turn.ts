/** The turn of a notifier whose lease is held: one message about the events of one log or of several, or none. */
import { CauseOfTest, Digest, Instant, Notifier, type Repository } from "@lazaret/domain"
import { CauseStore, EventStore, type LoggedEvent, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Effect, Option, Result } from "effect"
import { EventOwners, type OwnedEvent } from "./EventOwners.ts"
import { MessageSender } from "./MessageSender.ts"
import * as Message from "./Message.ts"

/**
 * The events of one log that a message may be about: those after `position`.
 *
 * **Details**
 *
 * `until` is the end of a message that was begun, else null. `empty` is the position of a log in which no event is left after
 * `position`, read before its events: retention may have dropped them.
 */
export interface Source {
  readonly ref: Repository.RepositoryRef
  readonly position: number
  readonly until: number | null
  readonly empty: number
}

/** The progress that a turn ends with; `positions` are those of its sources, in their order. */
export interface Progress {
  readonly positions: ReadonlyArray<number>
  readonly attempts: number
  readonly nextAt: Instant.Instant
  readonly failure: string | null
  readonly sentAt: Instant.Instant | null
}

/**
 * A turn.
 *
 * **Details**
 *
 * - `isBegun`: a message about these sources was begun and not confirmed.
 * - `pause`: the least time until the next turn of a notifier that writes at once.
 * - `messageId`: the id of the message about ranges of its sources.
 * - `stage`, `settle`: keep the end of a message before it is sent, and the progress; `false` when the lease is lost.
 */
export interface Turn {
  readonly notifier: Notifier.Notifier
  readonly sources: ReadonlyArray<Source>
  readonly isBegun: boolean
  readonly attempts: number
  readonly pause: number
  readonly messageId: (ranges: ReadonlyArray<Notifier.Range>) => string
  readonly stage: (positions: ReadonlyArray<number>) => Effect.Effect<boolean, StoreError>
  readonly settle: (progress: Progress) => Effect.Effect<boolean, StoreError>
}

/** The most events that one message is about. */
const eventsAtOnce = 2000

/** Takes turns, over the log of events and the sender. */
export const make = (options: Message.MessageOptions) =>
  Effect.gen(function* () {
    const events = yield* EventStore
    const sender = yield* MessageSender
    const eventOwners = yield* EventOwners
    const causes = yield* CauseStore
    const repositories = yield* RepositoryStore

    /** The causes of tests by name; none where notifiers do not follow causes. */
    const causesOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
      const found = yield* repositories.get(ref)
      if (Option.isNone(found) || found.value.settings.notificationsBy !== "cause") {
        return new Map<string, CauseOfTest.CauseOfTest>()
      }
      return CauseOfTest.byTest(yield* causes.list(ref), yield* Clock.currentTimeMillis)
    })

    /** The events of every source, until a message is full; sources after that wait for the next one. */
    const rangesOf = Effect.fnUntraced(function* (sources: ReadonlyArray<Source>) {
      const ranges: Array<SourceRange> = []
      let room = eventsAtOnce
      for (const source of sources) {
        const { empty, position, ref, until } = source
        // A message that was begun keeps its events: later events must not replace them.
        const most = until === null ? room : Math.min(until - position, eventsAtOnce)
        const batch = most <= 0 ? [] : yield* events.after(ref, position, most)
        const found = until === null ? batch : batch.filter((event) => event.position <= until)
        const last = found.at(-1)?.position ?? (most <= 0 ? position : empty)
        room -= found.length
        ranges.push({ source, events: found, end: until ?? last })
      }
      return { ranges, isFull: room <= 0 }
    })

    const wantedIn = Effect.fnUntraced(function* ({ notifier }: Turn, { events: found, source: { ref } }: SourceRange) {
      const typed = typedIn(notifier, found)
      if (typed.length === 0) return { wanted: [], shared: new Map() }
      const shared = yield* causesOf(ref)
      const isSilent = (event: LoggedEvent) => {
        const cause = shared.get(event.testName ?? "")
        return cause !== undefined && Notifier.isSilenced(event, cause)
      }
      const owned = yield* eventOwners.owned(
        ref,
        typed.filter((event) => !isSilent(event))
      )
      const ownersOf = ({ owners, testName }: OwnedEvent) => {
        const owner = shared.get(testName ?? "")?.owner ?? null
        return [...(owners ?? []), ...(owner === null ? [] : [owner])]
      }
      return { wanted: owned.filter((event) => Notifier.wants(notifier, event, ownersOf(event))), shared }
    })

    const partsOf = (turn: Turn, ranges: ReadonlyArray<SourceRange>) =>
      Effect.map(
        Effect.forEach(ranges, (range) =>
          Effect.map(wantedIn(turn, range), ({ shared, wanted }) => ({
            ref: range.source.ref,
            count: wanted.length,
            digest: Digest.of(wanted, new Map(wanted.map(({ owners, testId }) => [testId ?? "", owners ?? []])), shared)
          }))
        ),
        (parts) => parts.filter(({ count }) => count > 0)
      )

    return Effect.fnUntraced(function* (turn: Turn) {
      const { notifier, sources } = turn
      const now = yield* Clock.currentTimeMillis
      const { isFull, ranges } = yield* rangesOf(sources)
      const positions = sources.map(({ position }) => position)
      const passed: Progress = {
        positions: ranges.map(({ end }) => end),
        attempts: 0,
        nextAt: isFull ? now : nextAfter(turn, now),
        failure: null,
        sentAt: null
      }
      const wait = waitFor(turn, ranges, now)
      if (wait > 0) return yield* turn.settle({ ...passed, positions, nextAt: now + wait })
      const parts = yield* partsOf(turn, ranges)
      if (parts.length === 0) return yield* turn.settle(passed)
      if (!turn.isBegun && !(yield* turn.stage(passed.positions))) return false
      const id = turn.messageId(ranges.map(({ end, source }) => ({ after: source.position, until: end })))
      const sent = yield* Effect.result(sender.send(notifier.channel, Message.of({ id, parts, sentAt: now }, options)))
      const after = yield* Clock.currentTimeMillis
      if (Result.isSuccess(sent)) return yield* turn.settle({ ...passed, sentAt: after })
      const attempts = turn.attempts + 1
      const nextAt = after + Notifier.waitAfter(attempts)
      return yield* turn.settle({ ...passed, positions, attempts, nextAt, failure: sent.failure.message })
    })
  })

interface SourceRange {
  readonly source: Source
  readonly events: ReadonlyArray<LoggedEvent>
  readonly end: number
}

const typedIn = ({ types }: Notifier.Notifier, events: ReadonlyArray<LoggedEvent>) =>
  events.filter(({ type }) => types.length === 0 || types.includes(type))

const nextAfter = ({ notifier: { schedule }, pause }: Turn, now: number): number =>
  schedule._tag === "AtOnce" ? now + pause : Notifier.next(schedule, now)

/** How long a notifier that writes at once waits for events that come with the first one; 0 where it does not wait. */
const waitFor = ({ isBegun, notifier }: Turn, ranges: ReadonlyArray<SourceRange>, now: number): number => {
  if (isBegun || notifier.schedule._tag !== "AtOnce") return 0
  const times = ranges.flatMap(({ events }) => typedIn(notifier, events).slice(0, 1)).map(({ at }) => at)
  const wait = Math.min(...times) + Notifier.pause - now
  return wait > 0 && wait <= Notifier.pause ? wait : 0
}
