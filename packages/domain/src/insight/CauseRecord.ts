/** The record of a cause: what is known of it, and what people decided. Decisions stay while the tests of a cause change. */
import { Schema } from "effect"
import * as Instant from "../time/Instant.ts"
import * as TestId from "../report/TestId.ts"
import * as Text from "../text/Text.ts"
import { CauseKnown } from "./Cause.ts"
import type { Former, Recognised, Succession } from "./CauseSuccession.ts"

/** Schema of a text that a person gives a cause: its owner or its ticket. */
export const Note = Text.between(1, 500)

/**
 * Schema of the decisions about a cause.
 *
 * **Details**
 *
 * - `owner`, `ticket`: texts of people. `silencedUntil`: until when its tests get no new issues, and
 *   changes of their health are not notified. `closedAt`: when a person said that it is mended.
 * - `changedBy`, `changedAt`: the last decision.
 */
export const CauseDecisions = Schema.Struct({
  owner: Schema.NullOr(Schema.String),
  ticket: Schema.NullOr(Schema.String),
  silencedUntil: Schema.NullOr(Schema.Int),
  closedAt: Schema.NullOr(Schema.Int),
  changedBy: Schema.NullOr(Schema.String),
  changedAt: Schema.NullOr(Schema.Int)
})

/** The decisions about a cause. */
export type CauseDecisions = typeof CauseDecisions.Type

/** No decisions. */
export const undecided: CauseDecisions = {
  owner: null,
  ticket: null,
  silencedUntil: null,
  closedAt: null,
  changedBy: null,
  changedAt: null
}

/**
 * Schema of the record of a cause.
 *
 * **Details**
 *
 * - `bornAt`: when it was found. `from`: the causes of before that went into it, or of which it is a part.
 * - `goneAt`: when a computation found no failure of it for the first time; null while computations find some.
 */
export const CauseRecord = Schema.Struct({
  causeId: Schema.String,
  known: CauseKnown,
  bornAt: Schema.Int,
  goneAt: Schema.NullOr(Schema.Int),
  from: Schema.Array(Schema.String),
  ...CauseDecisions.fields
})

/** The record of a cause. */
export type CauseRecord = typeof CauseRecord.Type

/** How many causes a repository keeps: those with most failing job runs, and those with decisions. */
export const mostCauses = 2000

/** A record without failures and decisions is kept for this long. */
const keptFor = 90 * Instant.day

/** A change of the decisions: what is absent stays as it is. */
export type Change = Partial<Pick<CauseDecisions, "owner" | "ticket" | "silencedUntil" | "closedAt">>

/** The record after a decision. */
export const decided = (
  record: CauseRecord,
  change: Change,
  { at, by }: { readonly at: Instant.Instant; readonly by: string }
): CauseRecord => ({ ...record, ...change, changedAt: at, changedBy: by })

/** Whether a person decided something that still holds. */
export const isDecided = (decisions: CauseDecisions, now: Instant.Instant): boolean => {
  const { closedAt, owner, ticket } = decisions
  return owner !== null || ticket !== null || closedAt !== null || silenceAt(decisions, now) !== null
}

/** The end of the silence, null when it is over. */
const silenceAt = ({ silencedUntil }: Pick<CauseDecisions, "silencedUntil">, now: Instant.Instant) =>
  silencedUntil !== null && silencedUntil > now ? silencedUntil : null

/** A record without a test that was deleted, null when it has no other. */
export const withoutTest = (record: CauseRecord, testId: TestId.TestId): CauseRecord | null => {
  const { examples, testCount, tests } = record.known
  const left = tests.filter(({ testName }) => TestId.of(testName) !== testId)
  if (left.length === tests.length) return record
  if (left.length === 0) return null
  return {
    ...record,
    known: {
      ...record.known,
      tests: left,
      testCount: testCount - 1,
      examples: examples.filter(({ testName }) => TestId.of(testName) !== testId)
    }
  }
}

/** The record of each test that shares a cause with others or has one of its own, by its name; outages and gone causes are left out. */
export const byTest = (records: ReadonlyArray<CauseRecord>): ReadonlyMap<string, CauseRecord> =>
  new Map(
    records
      .filter(({ goneAt, known }) => known.kind !== "outage" && goneAt === null)
      .flatMap((record) => record.known.tests.map(({ testName }) => [testName, record] as const))
  )

/** The former cause of a record (`CauseSuccession`). */
export const formerOf = ({ causeId, known }: CauseRecord): Former => ({ id: causeId, ...recognisedOf(known) })

/** The parts of a cause that it is recognised by. */
export const recognisedOf = (known: CauseKnown): Recognised => ({
  isOutage: known.kind === "outage",
  signature: known.signature,
  firstAt: known.firstAt,
  lastAt: known.lastAt,
  tests: known.tests
})

/** The records to keep after a round, in the order of ids; the others are removed. */
export const renewed = (
  before: ReadonlyArray<CauseRecord>,
  today: ReadonlyArray<Succession<CauseKnown>>,
  now: Instant.Instant
): ReadonlyArray<CauseRecord> => {
  const byId = new Map(before.map((record) => [record.causeId, record]))
  const continued = today.map((each) => successorOf(each, byId, now))
  const kept = new Set(continued.map(({ causeId }) => causeId))
  const absorbed = new Set(today.flatMap(({ from, isNew }) => (isNew ? [] : from)))
  const gone = before
    .filter(({ causeId }) => !kept.has(causeId) && !absorbed.has(causeId))
    .map((record) => ({ ...record, goneAt: record.goneAt ?? now, silencedUntil: silenceAt(record, now) }))
    .filter((record) => isDecided(record, now) || now - record.goneAt < keptFor)
  return [...continued, ...gone]
    .sort(mostImportant)
    .filter((record, index) => index < mostCauses || isDecided(record, now))
    .sort((a, b) => Text.compare(a.causeId, b.causeId))
}

const mostImportant = (a: CauseRecord, b: CauseRecord): number =>
  Number(a.goneAt !== null) - Number(b.goneAt !== null) ||
  b.known.runs - a.known.runs ||
  b.known.lastAt - a.known.lastAt ||
  Text.compare(a.causeId, b.causeId)

/** A closed cause that fails after its closing is open again. A new part, and the cause that others went into, take over decisions. */
const successorOf = (
  { cause, from, id, isNew }: Succession<CauseKnown>,
  byId: ReadonlyMap<string, CauseRecord>,
  now: Instant.Instant
): CauseRecord => {
  const held = isNew ? undefined : byId.get(id)
  const own = held ?? { ...undecided, bornAt: now, from: [] }
  const parts = from.flatMap((other) => byId.get(other) ?? [])
  const first = <K extends "owner" | "ticket">(field: K) =>
    own[field] ?? parts.find((part) => part[field] !== null)?.[field] ?? null
  return {
    causeId: id,
    known: cause,
    bornAt: own.bornAt,
    goneAt: null,
    from: from.length > 0 ? from : own.from,
    owner: first("owner"),
    ticket: first("ticket"),
    silencedUntil: silenceAt(own, now),
    closedAt: own.closedAt !== null && cause.lastAt <= own.closedAt ? own.closedAt : null,
    changedBy: own.changedBy,
    changedAt: own.changedAt
  }
}

/** The state of a record as of an instant. */
export type State = "open" | "silenced" | "closed" | "gone"

/** The state of a record: closed by a person, gone, silenced for a while, or open. */
export const stateOf = (record: CauseRecord, now: Instant.Instant): State =>
  record.closedAt !== null
    ? "closed"
    : record.goneAt !== null
      ? "gone"
      : silenceAt(record, now) !== null
        ? "silenced"
        : "open"
