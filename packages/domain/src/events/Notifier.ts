/** Notifiers: where people read what has happened, what of it, and when (beyond the interface). */
import { DateTime, Option, Schema } from "effect"
import { parse, v5 } from "uuid"
import type { Channel } from "./Channel.ts"
import * as Event from "./Event.ts"
import * as Instant from "../time/Instant.ts"
import * as Glob from "../text/Glob.ts"
import type { CauseOfTest } from "../insight/CauseOfTest.ts"
import type { RepositoryRef } from "../repository/Repository.ts"
import * as Subscription from "./Subscription.ts"
import * as Text from "../text/Text.ts"

/** Schema of a time zone of the IANA database, such as `Europe/Paris`. */
export const TimeZone = Text.between(1, 100).check(
  Schema.makeFilter(
    (name: string) => Option.isSome(DateTime.zoneMakeNamed(name)) || "must be a time zone such as Europe/Paris or UTC"
  )
)

const hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 }))

/** Schema of when a notifier writes: at once, or a digest at an hour of each day or of a day of the week (1 is Monday). */
export const Schedule = Schema.Union([
  Schema.TaggedStruct("AtOnce", {}),
  Schema.TaggedStruct("Daily", { hour, timeZone: TimeZone }),
  Schema.TaggedStruct("Weekly", {
    weekday: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })),
    hour,
    timeZone: TimeZone
  })
])

/** A schedule of a notifier. */
export type Schedule = typeof Schedule.Type

/** Schema of the owners of a notifier: at most 50 names. */
export const Owners = Schema.Array(Text.between(1, 255)).check(Schema.isMaxLength(50))

/** A notifier of one repository. No `types` and no `owners` stand for all of them. */
export interface Notifier {
  readonly id: string
  readonly channel: Channel
  readonly types: ReadonlyArray<Event.EventType>
  readonly owners: ReadonlyArray<string>
  readonly schedule: Schedule
  readonly createdAt: Instant.Instant
  readonly createdBy: string
}

/** Schema of a pattern of repositories: an owner, or `*` for every owner, and a name that may hold `*` and `?`. */
export const RepositoryPattern = Text.between(3, 141).check(
  Schema.isPattern(/^(?:\*|[A-Za-z0-9-]{1,40})\/[\w.*?-]{1,100}$/u, {
    expected: "a repository such as acme/widgets, or a pattern such as acme/* or */web-*"
  })
)

/** Schema of the patterns of a wide notifier. */
export const RepositoryPatterns = Schema.Array(RepositoryPattern).check(Schema.isMinLength(1), Schema.isMaxLength(50))

/** A notifier of all repositories that one of the patterns names, those of later included. */
export interface WideNotifier extends Notifier {
  readonly repositories: ReadonlyArray<string>
}

/**
 * Whether patterns cover a repository, for patterns that are compiled once. Names match in any case.
 *
 * @example
 * ```ts
 * import { Notifier } from "@lazaret/domain"
 *
 * const isCovered = Notifier.covers(["acme/web-*"])
 * isCovered({ owner: "Acme", repository: "web-shop" }) // => true
 * isCovered({ owner: "other", repository: "web-shop" }) // => false
 * ```
 */
export const covers = (patterns: ReadonlyArray<string>): ((ref: RepositoryRef) => boolean) => {
  // An owner holds no slash, so that a star before the slash stands for one owner.
  const matchers = patterns.map((pattern) => Glob.compile(pattern.toLowerCase()))
  return ({ owner, repository }) => {
    const name = `${owner}/${repository}`.toLowerCase()
    return matchers.some((matches) => matches(name))
  }
}

/** The owners of the repositories that patterns can name, each once in lower case; null stands for all owners. */
export const ownersOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string | null> => [
  ...new Set(
    patterns.map((pattern) => {
      const owner = pattern.slice(0, pattern.indexOf("/"))
      return owner === "*" ? null : owner.toLowerCase()
    })
  )
]

/**
 * Whether a notifier is about an event, given the owners of its test.
 *
 * **Details**
 *
 * A notifier of owners takes events about tests of theirs, and quarantines that name one of them. An event that names no test
 * concerns everybody. Owners match in any case.
 */
export const wants = (
  { owners, types }: Pick<Notifier, "owners" | "types">,
  event: Pick<Event.Event, "type" | "testId" | "detail">,
  ownersOfTest: ReadonlyArray<string>
): boolean => {
  if (!Subscription.wants({ types }, event)) return false
  if (owners.length === 0 || event.testId === null) return true
  const { owner } = event.detail
  const names = new Set([...ownersOfTest, ...(typeof owner === "string" ? [owner] : [])].map(lower))
  return owners.some((each) => names.has(lower(each)))
}

/**
 * Whether the cause of a test keeps an event about its health from being notified.
 *
 * **Details**
 *
 * A silenced cause keeps all of them; a closed one those of executions until its closing.
 */
export const isSilenced = (
  { detail, type }: Pick<Event.Event, "type" | "detail">,
  { closedAt, state }: Pick<CauseOfTest, "closedAt" | "state">
): boolean => {
  if (type !== "test.health_changed") return false
  if (state === "silenced") return true
  const { ranAt } = detail
  return closedAt !== null && typeof ranAt === "string" && ranAt <= Instant.toIso(closedAt)
}

const lower = (name: string): string => name.toLowerCase()

/**
 * The time for which events are collected before a notifier writes at once: a run uploads from many jobs.
 */
export const pause = 30 * Instant.second

/** The time between two reads of the logs of many repositories for a notifier that writes at once. */
export const readEvery = 10 * Instant.second

/**
 * The next time at which a schedule writes, after an instant; the instant itself for one that writes at once.
 *
 * **Details**
 *
 * The hour is that of the clocks in the time zone. Where clocks are put forward over it, the digest comes as much later; an hour
 * that comes twice counts the first time.
 *
 * @example
 * ```ts
 * import { Notifier } from "@lazaret/domain"
 *
 * const paris = { _tag: "Daily", hour: 9, timeZone: "Europe/Paris" } as const
 * new Date(Notifier.next(paris, Date.UTC(2026, 0, 31, 12))).toISOString() // => "2026-02-01T08:00:00.000Z"
 * new Date(Notifier.next(paris, Date.UTC(2026, 6, 1, 0))).toISOString() // => "2026-07-01T07:00:00.000Z"
 * ```
 */
export const next = (schedule: Schedule, after: Instant.Instant): Instant.Instant => {
  if (schedule._tag === "AtOnce") return after
  const { timeZone } = schedule
  for (let days = 0; days <= 9; days++) {
    const day = DateTime.makeZoned(after + days * Instant.day, { timeZone })
    if (Option.isNone(day)) break
    const { day: date, month, weekDay, year } = DateTime.toParts(day.value)
    if (schedule._tag === "Weekly" && weekDay % 7 !== schedule.weekday % 7) continue
    const at = DateTime.makeZoned(
      { year, month, day: date, hour: schedule.hour },
      { timeZone, adjustForTimeZone: true, disambiguation: "compatible" }
    )
    if (Option.isSome(at) && DateTime.toEpochMillis(at.value) > after) return DateTime.toEpochMillis(at.value)
  }
  // The time zone is no longer known: a digest in UTC is better than none.
  return after + Instant.day
}

/** The delay after this many failed attempts: ten seconds, doubled each time, an hour at most. Nothing is given up. */
export const waitAfter = (attempts: number): number =>
  Math.min(10 * Instant.second * 2 ** Math.min(attempts - 1, 20), Instant.hour)

/** The events of one log that a message is about: those after a position, up to another one. */
export interface Range {
  readonly after: number
  readonly until: number
}

/** The id of the message about the events of a range of the log: the same for every attempt to send it. */
export const messageId = (notifierId: string, { after, until }: Range): string =>
  v5(`${notifierId} ${after} ${until}`, namespace)

/** The id of the message about the events of ranges of several logs, each with the key of its repository. */
export const wideMessageId = (notifierId: string, ranges: ReadonlyArray<Range & { readonly key: string }>): string =>
  v5([notifierId, ...ranges.map(({ after, key, until }) => `${key} ${after} ${until}`)].join("\n"), namespace)

/** It never changes: receivers know messages by their ids. */
const namespace = parse("3a0c7d52-8d4f-5b1c-a2b8-6f0d3b5e9c14")
