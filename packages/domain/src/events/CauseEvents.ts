/** Events of causes: decisions of people, and what a computation made of causes that people had decided about. */
import * as CauseRecord from "../insight/CauseRecord.ts"
import * as Instant from "../time/Instant.ts"
import * as Event from "./Event.ts"

/** The event of a decision; none when it changed nothing. */
export const decided = (
  before: CauseRecord.CauseRecord,
  after: CauseRecord.CauseRecord,
  { at, by }: { readonly at: Instant.Instant; readonly by: string }
): ReadonlyArray<Event.Event> => {
  const words = wordsOf(before, after)
  return words.length === 0
    ? []
    : [
        {
          ...Event.about("cause.changed", [after.causeId, `${at}`, JSON.stringify(decisionsOf(after))], at),
          actor: by,
          summary: `The cause "${after.known.name}" was ${words.join(" and ")}.`,
          detail: detailOf(after)
        }
      ]
}

/**
 * The events of a round about causes that people had decided about, at most {@link mostOfRound}, in the order of ids.
 *
 * **Details**
 *
 * A closed cause that failed again is open again. A merge and a split are reported when a person had decided about one of the causes:
 * others come and go with every round.
 */
export const ofRound = (
  before: ReadonlyArray<CauseRecord.CauseRecord>,
  after: ReadonlyArray<CauseRecord.CauseRecord>,
  at: Instant.Instant
): ReadonlyArray<Event.Event> => {
  const known = new Map(before.map((record) => [record.causeId, record]))
  const wasDecided = (causeId: string): boolean => {
    const record = known.get(causeId)
    return record !== undefined && CauseRecord.isDecided(record, at)
  }
  return after
    .flatMap((record): ReadonlyArray<Event.Event> => {
      const held = known.get(record.causeId)
      const isReopened = held !== undefined && held.closedAt !== null && record.closedAt === null
      const hasNewParts = record.from.length > 0 && held?.from.join() !== record.from.join()
      const isOfPeople = [record.causeId, ...record.from].some(wasDecided)
      return [
        ...(isReopened ? [reopened(record, held.closedAt ?? 0, at)] : []),
        ...(hasNewParts && isOfPeople ? [regrouped(record, held === undefined, at)] : [])
      ]
    })
    .slice(0, mostOfRound)
}

/** The most events of one round. */
export const mostOfRound = 100

const reopened = (record: CauseRecord.CauseRecord, closedAt: number, at: Instant.Instant): Event.Event => ({
  ...Event.about("cause.reopened", [record.causeId, `${closedAt}`], at),
  summary: `The closed cause "${record.known.name}" failed again, and is open.`,
  detail: detailOf(record)
})

const regrouped = (record: CauseRecord.CauseRecord, isNew: boolean, at: Instant.Instant): Event.Event => {
  const type = isNew ? "cause.split" : "cause.merged"
  const others = record.from.length === 1 ? "another cause" : `${record.from.length} other causes`
  return {
    ...Event.about(type, [record.causeId, ...record.from, `${at}`], at),
    summary: isNew
      ? `A part of ${others} is a cause of its own: "${record.known.name}".`
      : `The cause "${record.known.name}" took in ${others}.`,
    detail: { ...detailOf(record), from: [...record.from] }
  }
}

type Decisions = Pick<CauseRecord.CauseDecisions, "closedAt" | "owner" | "silencedUntil" | "ticket">

const decisionsOf = ({ closedAt, owner, silencedUntil, ticket }: Decisions) => ({
  owner,
  ticket,
  silencedUntil: silencedUntil === null ? null : Instant.toIso(silencedUntil),
  closedAt: closedAt === null ? null : Instant.toIso(closedAt)
})

const detailOf = (record: CauseRecord.CauseRecord): Event.Detail => ({
  causeId: record.causeId,
  name: record.known.name,
  ...decisionsOf(record)
})

const wordsOf = (before: Decisions, after: Decisions): ReadonlyArray<string> => [
  ...(before.owner === after.owner ? [] : [after.owner === null ? "freed of its owner" : `given to ${after.owner}`]),
  ...(before.ticket === after.ticket
    ? []
    : [after.ticket === null ? "freed of its ticket" : `given the ticket ${after.ticket}`]),
  ...(before.silencedUntil === after.silencedUntil
    ? []
    : [
        after.silencedUntil === null
          ? "unsilenced"
          : `silenced until ${Instant.toIso(after.silencedUntil).slice(0, 10)}`
      ]),
  ...(before.closedAt === after.closedAt ? [] : [after.closedAt === null ? "reopened" : "closed"])
]
