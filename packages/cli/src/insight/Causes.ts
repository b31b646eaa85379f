/** `lazaret causes`: list, show, own, silence, close, quarantine. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ChangeText from "../health/tests/ChangeText.ts"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"
import * as CauseText from "./CauseText.ts"

type Change = typeof Schemas.ChangeCause.Type

const list = Effect.fn("lazaret.causes")(function* (
  given: Flags.OfRepository & { readonly limit: number; readonly all: boolean }
) {
  const { name, params, session } = yield* Session.ofRepository(given)
  const { entries, first, json } = yield* session.list({
    subject: name,
    key: "causes",
    most: given.limit,
    page: (api, at) => api.listCauses({ params, query: { ...at, ...(given.all ? everything : {}) }, ...both })
  })
  yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
    const { computed_at, sentence } = first
    const rows = entries.map(({ row }) => row)
    const last =
      computed_at === null ? plain(sentence) : `${plain(sentence)}, computed at ${Session.minuteOf(computed_at)}`
    return rows.length === 0 ? last : `${Table.make(terminal, CauseText.columns, rows)}\n\n${last}`
  })
})

const everything = {
  state: ["open", "silenced", "closed", "gone"],
  kind: ["tests", "change", "outage"]
} as const

const cause = Argument.String("cause").pipe(
  Argument.withDescription("Id of the cause, or the beginning of it as the list shows it")
)

const show = Command.make(
  "show",
  { ...Flags.ofRepository, cause },
  Effect.fn("lazaret.causes.show")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, cause_id: yield* idOf(session, params, given.cause) }
    const { body, value } = yield* session.call(name, (api) => api.getCause({ params: one, ...both }))
    const change = yield* session.call(name, (api) => api.getCauseChange({ params: one, ...both }))
    yield* Session.print(given, { ...ChangeText.asObject(body), change: change.body }, () =>
      [CauseText.detailsOf(value), ...ChangeText.linesOf(change.value).map((line) => `change    ${line}`)].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Show a cause: its tests, since when, how often, in which jobs, and the latest job runs with it."
  ),
  Command.withShortDescription("Show a cause"),
  Command.withExamples([{ command: "lazaret causes show 6b1f8e2a", description: "The cause whose id begins so" }])
)

const own = Command.make(
  "own",
  {
    ...Flags.ofRepository,
    cause,
    owner: Flags.text("owner", 500, "Team or person who is responsible, such as @acme/net").pipe(Flag.optional),
    ticket: Flags.text("ticket", 500, "Ticket of the cause, such as a link").pipe(Flag.optional)
  },
  Effect.fn("lazaret.causes.own")(function* (given) {
    const change: Change = {
      ...(Option.isSome(given.owner) ? { owner: given.owner.value } : {}),
      ...(Option.isSome(given.ticket) ? { ticket: given.ticket.value } : {})
    }
    if (Object.keys(change).length === 0) return yield* CommandFailure.usage("Give --owner, --ticket or both.")
    yield* decide(given, change)
  })
).pipe(
  Command.withDescription("Store who owns a cause, and its ticket."),
  Command.withShortDescription("Own a cause, or give it a ticket"),
  Command.withExamples([{ command: "lazaret causes own 6b1f8e2a --owner @acme/net", description: "Name an owner" }])
)

const silence = Command.make(
  "silence",
  {
    ...Flags.ofRepository,
    cause,
    days: Flag.Int("days").pipe(
      Flag.withDescription("Number of days, 0 to end the silence (7)"),
      Flag.filter(
        (days) => days >= 0 && days <= 365,
        (days) => `"${days}" is not between 0 and 365`
      ),
      Flag.withDefault(7)
    )
  },
  Effect.fn("lazaret.causes.silence")(function* (given) {
    const now = yield* Clock.currentTimeMillis
    yield* decide(given, { silenced_until: given.days === 0 ? null : now + given.days * day })
  })
).pipe(
  Command.withDescription("Silence a cause for some days: it is not among the open ones."),
  Command.withShortDescription("Silence a cause"),
  Command.withExamples([
    { command: "lazaret causes silence 6b1f8e2a --days 14", description: "Silence it for two weeks" }
  ])
)

const day = 86_400_000

const close = Command.make(
  "close",
  {
    ...Flags.ofRepository,
    cause,
    reopen: Flag.Boolean("reopen").pipe(Flag.withDescription("Open it again"), Flag.withDefault(false))
  },
  Effect.fn("lazaret.causes.close")(function* (given) {
    yield* decide(given, { closed: !given.reopen })
  })
).pipe(
  Command.withDescription("Close a cause that is mended. When one of its tests fails with it again, it is open again."),
  Command.withShortDescription("Close a cause"),
  Command.withExamples([{ command: "lazaret causes close 6b1f8e2a", description: "It is mended" }])
)

const quarantine = Command.make(
  "quarantine",
  {
    ...Flags.ofRepository,
    cause,
    reason: Flags.text("reason", 10_000, "Reason that people read (the name of the cause)").pipe(Flag.optional),
    branch: Flags.text("branch", 255, "A branch, or a pattern such as release/* (every branch)").pipe(Flag.optional)
  },
  Effect.fn("lazaret.causes.quarantine")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, cause_id: yield* idOf(session, params, given.cause) }
    const payload = {
      ...(Option.isSome(given.reason) ? { reason: given.reason.value } : {}),
      branch: Option.getOrNull(given.branch)
    }
    const { body, value } = yield* session.call(name, (api) => api.quarantineCause({ params: one, payload, ...both }))
    yield* Session.print(given, body, () => CauseText.quarantinedOf(value))
  })
).pipe(
  Command.withDescription("Quarantine each test of a cause that has no such quarantine yet, at most 500."),
  Command.withShortDescription("Quarantine the tests of a cause"),
  Command.withExamples([
    { command: "lazaret causes quarantine 6b1f8e2a --reason NET-17", description: "All its tests" }
  ])
)

/** Stores a decision, and prints the cause after it. */
const decide = Effect.fnUntraced(function* (given: Flags.OfRepository & { readonly cause: string }, payload: Change) {
  const { name, params, session } = yield* Session.ofRepository(given)
  const one = { ...params, cause_id: yield* idOf(session, params, given.cause) }
  const { body, value } = yield* session.call(name, (api) => api.changeCause({ params: one, payload, ...both }))
  yield* Session.print(given, body, () => CauseText.stateOf(value))
})

/** The id of the cause that is meant: a whole one, or that of the only cause whose id begins so. */
const idOf = Effect.fnUntraced(function* (session: Session.Session, params: Repository.RepositoryRef, given: string) {
  if (Id.isId(given)) return given
  const { entries } = yield* session.list({
    subject: null,
    key: "causes",
    most: Infinity,
    page: (api, at) => api.listCauses({ params, query: { ...at, ...everything }, ...both })
  })
  const found = entries.filter(({ row }) => row.id.startsWith(given.toLowerCase()))
  const [first] = found
  if (first !== undefined && found.length === 1) return first.row.id
  return yield* CommandFailure.usage(
    found.length === 0
      ? `No cause has an id that begins with "${plain(given)}". lazaret causes --all lists every cause.`
      : `${found.length} causes have an id that begins with "${plain(given)}": write more of it.`
  )
})

/** Lists causes, and changes them. */
export const command = Command.make(
  "causes",
  {
    ...Flags.ofRepository,
    limit: Flags.limit,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Also causes that are gone, and those of single branches"),
      Flag.withDefault(false)
    )
  },
  list
).pipe(
  Command.withDescription(
    "List what failures have in common: tests that fail together, and outages; those that made most job runs red first. Causes are " +
      "computed some minutes after reports with failures."
  ),
  Command.withShortDescription("Causes that tests share"),
  Command.withExamples([
    { command: "lazaret causes --limit 5", description: "The five causes that made most job runs red" },
    { command: "lazaret causes show 6b1f8e2a", description: "One of them" }
  ]),
  Command.withSubcommands([show, own, silence, close, quarantine])
)
