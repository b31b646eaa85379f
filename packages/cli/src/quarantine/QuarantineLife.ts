/** `lazaret quarantine set`, and the flags of the life of a quarantine. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Clock, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Faults from "../terminal/Faults.ts"
import * as Flags from "../connection/Flags.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as Session from "../connection/Session.ts"
import { plain } from "../terminal/Terminal.ts"
import { idOf } from "./QuarantineLookup.ts"

type Life = typeof Schemas.QuarantineLife.Type

type Change = typeof Schemas.ChangeQuarantineLife.Type

/** The flags of a life. */
export const flags = {
  expires: Flag.String("expires").pipe(
    Flag.withMetavar("when"),
    Flag.withDescription("When it ends: a number of days (14d), an instant (2026-12-31T12:00:00Z), or never"),
    Flag.optional
  ),
  owner: Flag.String("owner").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Team or person who is responsible, such as @acme/web; an empty text removes it"),
    Flag.optional
  ),
  ticket: Flag.String("ticket").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("Link to the ticket; an empty text removes it"),
    Flag.optional
  ),
  scope: Flag.Literals("scope", ["every_run", "merge_queue"]).pipe(
    Flag.withDescription("Runs in which it holds: every run, or only runs of a merge queue"),
    Flag.optional
  )
}

interface Given {
  readonly expires: Option.Option<string>
  readonly owner: Option.Option<string>
  readonly ticket: Option.Option<string>
  readonly scope: Option.Option<Life["scope"]>
}

/**
 * The change that the flags ask for; null without any of them.
 *
 * **Details**
 *
 * Fails for values that the server would refuse, so that `quarantine add` creates no quarantine without the life that it
 * was to have.
 */
export const changeOf = Effect.fnUntraced(function* (given: Given) {
  const change: Change = {
    ...(Option.isSome(given.expires) ? { expires_at: yield* endOf(given.expires.value) } : {}),
    ...(Option.isSome(given.owner) ? { owner: textOrNull(given.owner.value) } : {}),
    ...(Option.isSome(given.ticket) ? { ticket: textOrNull(given.ticket.value) } : {}),
    ...(Option.isSome(given.scope) ? { scope: given.scope.value } : {})
  }
  if (Object.keys(change).length === 0) return null
  const { Schemas: schemas } = yield* load(() => import("@lazaret/api"))
  yield* Effect.mapError(Schema.encodeEffect(schemas.ChangeQuarantineLife)(change), (error) =>
    CommandFailure.usage(`${Faults.of(error)}.`)
  )
  return change
})

const textOrNull = (value: string): string | null => (value.trim() === "" ? null : value.trim())

const day = 86_400_000

const endOf = Effect.fnUntraced(function* (text: string) {
  if (text === "never") return null
  const now = yield* Clock.currentTimeMillis
  const days = /^([1-9]\d{0,3})d$/u.exec(text)?.[1]
  if (days !== undefined) return now + Number(days) * day
  const at = /^\d{4}-\d\d-\d\d/u.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) {
    return yield* CommandFailure.usage(
      `"${plain(text)}" is not an end: give a number of days such as 14d, an instant such as 2026-12-31T12:00:00Z, or never.`
    )
  }
  return at > now
    ? at
    : yield* CommandFailure.usage(
        `"${plain(text)}" is in the past: give a later end; to end a quarantine now: lazaret quarantine remove.`
      )
})

type One = Repository.RepositoryRef & { readonly quarantine_id: string }

/** Changes the life of a quarantine: fields that are absent stay. */
export const change = (session: Session.Session, name: string, params: One, payload: Change) =>
  session.call(name, (api) => api.changeQuarantineLife({ params, payload, ...both }))

/** Changes the life of a quarantine. */
export const set = Command.make(
  "set",
  {
    ...Flags.ofRepository,
    branch: Flag.String("branch").pipe(
      Flag.withDescription("The quarantine of this branch (else: the one of every branch)"),
      Flag.optional
    ),
    ...flags,
    test: Argument.String("test").pipe(
      Argument.withDescription("Id of the quarantine, or fully qualified name of the test")
    )
  },
  Effect.fn("lazaret.quarantine.set")(function* (given) {
    const life = yield* changeOf(given)
    if (life === null) {
      return yield* CommandFailure.usage("Nothing changes: give --expires, --owner, --ticket or --scope.")
    }
    const { name, params, session } = yield* Session.ofRepository(given)
    const of = { test_name: given.test, branch: Option.getOrNull(given.branch) }
    const one = { ...params, quarantine_id: yield* idOf(session, params, of) }
    const { body, value } = yield* change(session, name, one, life)
    yield* Session.print(given, body, () => sentenceOf(value))
  })
).pipe(
  Command.withDescription(
    "Change the end, the owner, the ticket or the runs of a quarantine. Fields without a flag stay."
  ),
  Command.withShortDescription("Change the end, owner, ticket or scope"),
  Command.withExamples([
    {
      command: 'lazaret quarantine set --expires 14d --owner @acme/web "cart > pays with a card"',
      description: "End a quarantine in two weeks; the team is reminded before"
    }
  ])
)

const sentenceOf = ({ expires_at, owner, scope, test_name, ticket }: Life): string =>
  [
    plain(test_name),
    `  ends      ${expires_at === null ? "never by itself" : Session.secondOf(expires_at)}`,
    `  owner     ${owner === null ? "none" : plain(owner)}`,
    `  ticket    ${ticket === null ? "none" : plain(ticket)}`,
    `  holds in  ${scope === "merge_queue" ? "runs of a merge queue" : "every run"}`
  ].join("\n")
