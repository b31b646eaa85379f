/** `lazaret quarantine`: add, list, remove, check. */
import type { Schemas } from "@lazaret/api"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Dashboard from "../connection/Dashboard.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import * as TestName from "../connection/TestName.ts"
import { plain } from "../terminal/Terminal.ts"
import { check } from "../failure/QuarantineCheck.ts"
import { debt } from "./QuarantineDebt.ts"
import * as Life from "./QuarantineLife.ts"
import * as KnownTest from "./KnownTest.ts"
import { idOf, isOf, livesOf, type Living, quarantinesOf, where } from "./QuarantineLookup.ts"

type Quarantined = typeof Schemas.QuarantinedTest.Type

const branch = (description: string) => Flag.String("branch").pipe(Flag.withDescription(description), Flag.optional)

const test = Argument.String("test").pipe(Argument.withDescription("Fully qualified name of the test"))

const add = Command.make(
  "add",
  {
    ...Flags.ofRepository,
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("Reason, for everybody to read"),
      Flag.filter(
        (text) => text.trim() !== "",
        () => "the reason is empty"
      )
    ),
    branch: branch("Only on this branch (else: on every branch)"),
    ...Life.flags,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Quarantine it even when it has not run on the default branch, or is broken"),
      Flag.withDefault(false)
    ),
    test
  },
  Effect.fn("lazaret.quarantine.add")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    if (!given.force) yield* KnownTest.check(session, params, given.test)
    const payload = { test_name: given.test, reason: given.reason, branch: Option.getOrNull(given.branch) }
    const life = yield* Life.changeOf(given)
    const create = session.call(name, (api) => api.createQuarantine({ params, payload, ...both }))
    const { id } = yield* create.pipe(
      Effect.map(({ value }) => value),
      Effect.catchIf(
        ({ status }) => status === 409,
        (conflict) =>
          Effect.flatMap(quarantinesOf(session, params, {}), ({ entries }) => {
            const same = entries.find(({ row }) => isOf(row, payload) && row.reason === payload.reason)
            return same === undefined ? Effect.fail(conflict) : Effect.succeed(same.row)
          })
      )
    )
    if (life !== null) {
      yield* Effect.mapError(
        Life.change(session, name, { ...params, quarantine_id: id }, life),
        ({ exitCode, message, status }) =>
          new CommandFailure.CommandFailure({
            exitCode,
            status,
            message: `${message} The quarantine ${id} holds, but without the end, owner, ticket and scope of this command: send it again.`
          })
      )
    }
    const link = Dashboard.test(session.connection.url, params, yield* TestName.idOf(given.test))
    yield* Session.print(
      given,
      { id },
      () => `quarantined ${where(payload.branch)}: ${plain(given.test)} (${id})\n${link}`
    )
  })
).pipe(
  Command.withDescription(
    "Quarantine a test: its failures no longer fail a job. The same quarantine with the same reason changes nothing."
  ),
  Command.withShortDescription("Quarantine a test"),
  Command.withExamples([
    {
      command: 'lazaret quarantine add --reason "Times out on slow machines, see issue 12." "cart > pays with a card"',
      description: "Quarantine a test on every branch"
    }
  ])
)

const list = Command.make(
  "list",
  {
    ...Flags.ofRepository,
    branch: branch("Only quarantines that apply on this branch"),
    source: Flag.Literals("source", ["manual", "auto"]).pipe(
      Flag.withDescription("Only quarantines by people (manual) or by the automation (auto)"),
      Flag.optional
    ),
    recovered: Flag.Boolean("recovered").pipe(
      Flag.withDescription("Only tests that have recovered: their quarantine could end"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("lazaret.quarantine.list")(function* (given) {
    const { params, session } = yield* Session.ofRepository(given)
    const { entries, json } = yield* quarantinesOf(session, params, {
      ...Option.match(given.branch, { onNone: () => ({}), onSome: (one) => ({ branch: one }) }),
      ...Option.match(given.source, { onNone: () => ({}), onSome: (source) => ({ source }) })
    })
    const kept = given.recovered ? entries.filter(({ row }) => row.is_recovered) : entries
    const lives = given.json || kept.length === 0 ? new Map<string, Living>() : yield* livesOf(session, params)
    const rows = kept.map(({ row }) => ({ ...row, life: lives.get(row.id) ?? null }))
    const now = yield* Clock.currentTimeMillis
    yield* Session.print(given, json(kept, { per_page: null }), (terminal) =>
      rows.length === 0 ? "no test is quarantined" : Table.make(terminal, columns(now), rows)
    )
  })
).pipe(
  Command.withDescription(
    "List the quarantined tests with their ends and scopes, the oldest quarantine first. Their owners and what they cost: lazaret quarantine debt."
  ),
  Command.withShortDescription("List quarantined tests"),
  Command.withExamples([
    { command: "lazaret quarantine list --recovered", description: "The quarantines that could end" }
  ])
)

/** A quarantine with its life; null for one that began or ended between two requests. */
interface Listed extends Quarantined {
  readonly life: Living | null
}

const columns = (now: number): ReadonlyArray<Table.Column<Listed>> => [
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "where", cell: whereIn, canShrink: true },
  { heading: "since", cell: ({ created_at }) => Session.dayOf(created_at) },
  { heading: "ends", cell: ({ life }) => endOf(life, now) },
  { heading: "by", cell: authorOf },
  {
    heading: "recovered",
    cell: ({ is_recovered }) => (is_recovered ? "yes" : "no"),
    colour: ({ is_recovered }) => (is_recovered ? "green" : null)
  },
  { heading: "reason", cell: ({ reason }) => reason, canShrink: true },
  { heading: "id", cell: ({ id }) => id }
]

/** The login of a person; of a key the beginning of its id. */
function authorOf({ created_by, source }: Listed): string {
  return (created_by ?? source ?? "").replace(/^(key [0-9a-f]{6})[0-9a-f-]+$/u, "$1")
}

function whereIn({ branch: on, life }: Listed): string {
  const place = on ?? "every branch"
  return life?.scope === "merge_queue" ? `${place}, merge queue only` : place
}

/** A day; of a quarantine that ends today, the minute. */
const endOf = (life: Living | null, now: number): string => {
  if (life === null) return "unknown"
  const at = life.expires_at
  if (at === null) return "never"
  return Session.dayOf(at) === Session.dayOf(now) ? Session.minuteOf(at) : Session.dayOf(at)
}

const remove = Command.make(
  "remove",
  {
    ...Flags.ofRepository,
    branch: branch("The quarantine of this branch (else: the one of every branch)"),
    test: Argument.String("test").pipe(
      Argument.withDescription("Id of the quarantine, or fully qualified name of the test")
    )
  },
  Effect.fn("lazaret.quarantine.remove")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const of = { test_name: given.test, branch: Option.getOrNull(given.branch) }
    const quarantine_id = yield* idOf(session, params, of)
    const one = { ...params, quarantine_id }
    yield* session.remove(name, (api) => api.deleteQuarantine({ params: one, ...both }))
    yield* Session.print(given, { id: quarantine_id }, () => `the quarantine has ended: ${plain(given.test)}`)
  })
).pipe(
  Command.withDescription("End a quarantine."),
  Command.withShortDescription("End a quarantine"),
  Command.withExamples([
    { command: 'lazaret quarantine remove "cart > pays with a card"', description: "Release a test" }
  ])
)

/** Maintains the list of quarantined tests, and checks reports against it. */
export const command = Command.make("quarantine").pipe(
  Command.withDescription("Maintain the list of quarantined tests, and check reports against it."),
  Command.withShortDescription("Quarantine tests, and check reports"),
  Command.withSubcommands([add, list, Life.set, remove, debt, check])
)
