/** `lazaret audit`: the administrative actions on a server. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import { load } from "../terminal/MissingPackage.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

const condition = (name: string, description: string) => Flags.text(name, 255, description).pipe(Flag.optional)

/** Shows the audit log. */
export const command = Command.make(
  "audit",
  {
    ...Flags.server,
    owner: Flag.String("owner").pipe(Flag.withDescription("Only actions that concern this owner"), Flag.optional),
    action: condition("action", "Only this action, such as createApplicationKey"),
    actor: condition("actor", "Only actions of the key or person of this name"),
    limit: Flags.limit,
    ndjson: Flag.Boolean("ndjson").pipe(
      Flag.withDescription("Print one line of JSON for each entry, for an archive or another program"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("lazaret.audit")(function* (given) {
    const session = yield* Session.open(given)
    const named = { owner: given.owner, action: given.action, actor: given.actor }
    const conditions = Object.fromEntries(
      Object.entries(named).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
    )
    const { entries, json } = yield* session.list({
      subject: null,
      key: "entries",
      most: given.limit,
      page: (api, at) => api.listAudit({ query: { ...conditions, ...at }, ...both })
    })
    const rows = entries.map(({ row }) => row)
    if (rows.length === 0) yield* Effect.forEach(Option.toArray(given.action), requireKnown)
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
      if (given.ndjson) return entries.map((entry) => JSON.stringify(entry.json)).join("\n")
      return rows.length === 0 ? "there is no entry" : Table.make(terminal, columns, rows)
    })
  })
).pipe(
  Command.withDescription(
    "Show who did what to keys, settings, quarantines and queues, the newest first. This command needs an admin key."
  ),
  Command.withShortDescription("Show administrative actions"),
  Command.withExamples([
    { command: "lazaret audit --action revokeApplicationKey", description: "Who revoked keys, and which" },
    { command: "lazaret audit --ndjson --limit 1000000", description: "The whole log, for an archive" }
  ])
)

/** Fails for a name that no action has, which would else look like an action that nobody has done. */
const requireKnown = Effect.fnUntraced(function* (action: string) {
  const { auditedOperations: known } = yield* load(() => import("@lazaret/api"))
  if (known.includes(action) || action === "signIn" || action.startsWith("checkAction.")) return
  return yield* CommandFailure.usage(
    `There is no action "${plain(action)}". The actions are ${known.toSorted().join(", ")}, signIn and checkAction.*.`
  )
})

type Entry = typeof Schemas.AuditEntry.Type

const subjectOf = ({ after, before, target }: Entry): string =>
  [...new Set([...Object.values(target), ...named(before), ...named(after)])].map(String).join(" ")

/** The names that a reader knows a thing by. */
const named = (fields: Entry["before"]): ReadonlyArray<unknown> =>
  ["name", "testName", "host"].flatMap((name) => (fields?.[name] === undefined ? [] : [fields[name]]))

const columns: ReadonlyArray<Table.Column<Entry>> = [
  { heading: "at", cell: ({ at }) => Session.secondOf(at) },
  { heading: "by", cell: ({ actor }) => actor.name, canShrink: true },
  { heading: "from", cell: ({ address }) => address ?? "" },
  { heading: "action", cell: ({ action }) => action },
  {
    heading: "in",
    cell: ({ owner, repository }) => (repository === null ? (owner ?? "") : `${owner}/${repository}`),
    canShrink: true
  },
  { heading: "subject", cell: subjectOf, canShrink: true },
  {
    heading: "outcome",
    cell: ({ outcome }) => outcome,
    colour: ({ outcome }) => (outcome === "done" ? null : "red")
  }
]
