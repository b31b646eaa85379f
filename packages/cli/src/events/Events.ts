/** `lazaret events`, and the types of events. */
import type { Schemas } from "@lazaret/api"
import type { Event } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"

/** Each type of the domain, which is not loaded for it: the command line starts fast. */
const types: { readonly [T in Event.EventType]: T } = {
  "test.health_changed": "test.health_changed",
  "tests.health_changed": "tests.health_changed",
  "job_run.outage": "job_run.outage",
  "job_run.tests_missing": "job_run.tests_missing",
  "quarantine.created": "quarantine.created",
  "quarantine.removed": "quarantine.removed",
  "quarantine.changed": "quarantine.changed",
  "quarantine.expiring": "quarantine.expiring",
  "quarantine.expired": "quarantine.expired",
  "queue.paused": "queue.paused",
  "queue.unpaused": "queue.unpaused",
  "queue.tree_mismatch": "queue.tree_mismatch",
  "queue.write_refused": "queue.write_refused",
  "queue.bypassed": "queue.bypassed",
  "queue.evicted": "queue.evicted",
  "queue.healed": "queue.healed",
  "queue.commanded": "queue.commanded",
  "check.action_requested": "check.action_requested",
  "failure.marked": "failure.marked",
  "gate.excuses_suspended": "gate.excuses_suspended",
  "gate.excuses_resumed": "gate.excuses_resumed",
  "issue.opened": "issue.opened",
  "issue.closed": "issue.closed",
  "issue.reopened": "issue.reopened",
  "cause.changed": "cause.changed",
  "cause.reopened": "cause.reopened",
  "cause.merged": "cause.merged",
  "cause.split": "cause.split",
  "tests.slower": "tests.slower",
  "costs.week_ended": "costs.week_ended"
}

/** `--type`, for one type of event. */
export const typeFlag = (description: string) =>
  Flag.Literals("type", Object.values(types)).pipe(Flag.withDescription(description))

/** Types of events, separated by spaces; `all` for every type. */
export const typesText = (some: ReadonlyArray<Event.EventType>): string =>
  Object.values(types).every((type) => some.includes(type)) ? "all" : some.join(" ")

/** Shows the events of a repository. */
export const command: Loaded<"events"> = Command.make(
  "events",
  {
    ...Flags.ofRepository,
    type: typeFlag("Only events of this type").pipe(Flag.optional),
    limit: Flags.limit
  },
  Effect.fn("lazaret.events")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const type = Option.match(given.type, { onNone: () => ({}), onSome: (one) => ({ type: one }) })
    const { entries, json } = yield* session.list({
      subject: name,
      key: "events",
      most: given.limit,
      page: (api, at) => api.listEvents({ params, query: { ...type, ...at }, ...both })
    })
    const rows = entries.map(({ row }) => row)
    const isNamed = !given.json && rows.some(({ actor }) => actor.startsWith("key "))
    const names = isNamed ? yield* namesOf(session) : new Map<string, string>()
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) =>
      rows.length === 0 ? "there is no event yet" : Table.make(terminal, columns(names), rows)
    )
  })
).pipe(
  Command.withDescription("Show the events of a repository, the newest first."),
  Command.withShortDescription("Show events"),
  Command.withExamples([
    { command: "lazaret events --type quarantine.created", description: "The new quarantines, and who made them" }
  ])
)

/** The names of keys by the actors of events. Other keys than admin keys may not list them: events then name the ids. */
const namesOf = (session: Session.Session): Effect.Effect<ReadonlyMap<string, string>> =>
  session
    .list({
      subject: null,
      key: "application_keys",
      most: Number.POSITIVE_INFINITY,
      page: (api, query) => api.listApplicationKeys({ query, ...both })
    })
    .pipe(
      Effect.map(({ entries }) => new Map(entries.map(({ row }) => [`key ${row.id}`, `key "${row.name}"`]))),
      Effect.orElseSucceed(() => new Map())
    )

/** When the execution ran that changed a verdict: after a backfill, every event was recorded today. */
const ranAt = ({ ran_at }: (typeof Schemas.EventBody.Type)["detail"]): number | null =>
  typeof ran_at === "string" ? Date.parse(ran_at) : null

const columns = (names: ReadonlyMap<string, string>): ReadonlyArray<Table.Column<typeof Schemas.EventBody.Type>> => [
  { heading: "at", cell: ({ at, detail }) => Session.secondOf(ranAt(detail) ?? at) },
  { heading: "by", cell: ({ actor }) => names.get(actor) ?? actor, canShrink: true },
  { heading: "what", cell: ({ summary }) => summary, canShrink: true }
]
