/** `lazaret tests`: aliases, alias, unalias, renames. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

type Alias = typeof Schemas.TestAlias.Type

type Rename = typeof Schemas.TestRename.Type

/** Lists aliases. */
export const listed: Loaded<"aliases"> = Command.make(
  "aliases",
  {
    ...Flags.ofRepository,
    revoked: Flag.Boolean("revoked").pipe(
      Flag.withDescription("List the revoked aliases instead"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("lazaret.tests.aliases")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const query = given.revoked ? ({ revoked: "true" } as const) : {}
    const { body, value } = yield* session.call(name, (api) => api.listTestAliases({ params, query, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.size === 0
        ? given.revoked
          ? "no alias was revoked"
          : "no test has an alias"
        : Table.make(terminal, columns, value.test_aliases)
    )
  })
).pipe(
  Command.withDescription(
    "List which names in reports are which test: renamed tests, and masks of names that change with each run."
  ),
  Command.withShortDescription("List aliases of tests"),
  Command.withExamples([{ command: "lazaret tests aliases", description: "List the aliases that hold" }])
)

const columns: ReadonlyArray<Table.Column<Alias>> = [
  { heading: "kind", cell: ({ kind }) => kind },
  { heading: "name in reports", cell: ({ from }) => from, canShrink: true },
  { heading: "is the test", cell: ({ stands_for }) => stands_for, canShrink: true },
  { heading: "since", cell: ({ created_at }) => Session.minuteOf(created_at) },
  { heading: "by", cell: ({ created_by }) => created_by },
  { heading: "id", cell: ({ id }) => id }
]

const name = (of: string, description: string) =>
  Argument.String(of).pipe(
    Argument.withDescription(description),
    Argument.filter(
      (text) => text.trim() !== "",
      (text) => `"${text}" is empty`
    )
  )

/** Makes an alias. */
export const alias: Loaded<"alias"> = Command.make(
  "alias",
  {
    ...Flags.ofRepository,
    mask: Flag.Boolean("mask").pipe(
      Flag.withDescription(
        "OLD is a mask, in which <*> stands for ids, times, ports and addresses; NEW is the mask itself by default"
      ),
      Flag.withDefault(false)
    ),
    from: name("old", "The name in reports, or a mask of names"),
    to: name("new", "The name of the test from now on").pipe(Argument.optional)
  },
  Effect.fn("lazaret.tests.alias")(function* (given) {
    const to = Option.getOrNull(given.to)
    if (to === null && !given.mask) {
      return yield* CommandFailure.usage("Give the new name after the old one, or --mask for a mask of names.")
    }
    const { name: repository, params, session } = yield* Session.ofRepository(given)
    const one = {
      kind: given.mask ? ("mask" as const) : ("name" as const),
      from: given.from,
      ...(to !== null && { to })
    }
    const { body, value } = yield* session.call(repository, (api) =>
      api.createTestAliases({ params, payload: { test_aliases: [one] }, ...both })
    )
    yield* Session.print(given, body, () => value.test_aliases.map(sentenceOf).join("\n"))
  })
).pipe(
  Command.withDescription(
    "Say that a test was renamed, or that names which change with each run are one test. Its history, health and quarantines are " +
      "those of all its names, also of uploads under the old name. It can be revoked."
  ),
  Command.withShortDescription("Say that two names are one test"),
  Command.withExamples([
    { command: 'lazaret tests alias "cart > adds" "shop > cart > adds"', description: "A test was renamed" },
    { command: 'lazaret tests alias --mask "takes <*>"', description: "Names with an id in their title are one test" }
  ])
)

const sentenceOf = ({ from, id, kind, stands_for }: Alias): string =>
  `${kind === "mask" ? "every name with the mask " : ""}${plain(from)} is the test ${plain(stands_for)} (lazaret tests unalias ${id} revokes it)`

/** Revokes an alias. */
export const unalias: Loaded<"unalias"> = Command.make(
  "unalias",
  { ...Flags.ofRepository, alias: name("alias", "Id of the alias, or the name or mask that it is of") },
  Effect.fn("lazaret.tests.unalias")(function* (given) {
    const { name: repository, params, session } = yield* Session.ofRepository(given)
    const { value } = yield* session.call(repository, (api) => api.listTestAliases({ params, query: {}, ...both }))
    const found = value.test_aliases.find(({ from, id }) => id === given.alias || from === given.alias)
    if (found === undefined) {
      return yield* CommandFailure.refused(
        `${plain(given.alias)} is not an alias of ${repository}. See lazaret tests aliases.`,
        404
      )
    }
    const one = { ...params, alias_id: found.id }
    yield* session.call(plain(given.alias), (api) => api.revokeTestAlias({ params: one, ...both }))
    yield* Session.print(given, { revoked: found.id }, () => `${plain(found.from)} is a test of its own again`)
  })
).pipe(
  Command.withDescription("Revoke an alias: everything is as if it had never been made."),
  Command.withShortDescription("Revoke an alias"),
  Command.withExamples([{ command: 'lazaret tests unalias "cart > adds"', description: "Revoke the alias of a name" }])
)

/** Lists proposed renames, and accepts them. */
export const renames: Loaded<"renames"> = Command.make(
  "renames",
  {
    ...Flags.ofRepository,
    limit: Flags.limit,
    accept: Flag.Boolean("accept").pipe(
      Flag.withDescription("Make an alias of each of the listed proposals"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("lazaret.tests.renames")(function* (given) {
    const { name: repository, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(repository, (api) => api.listTestRenames({ params, ...both }))
    const rows = value.test_renames.slice(0, given.limit)
    if (!given.accept || rows.length === 0) {
      return yield* Session.print(given, body, (terminal) =>
        rows.length === 0
          ? "no test seems to be renamed"
          : `${Table.make(terminal, renamed, rows)}\n\n${rows.length} of ${value.size}; accept one with lazaret tests alias OLD NEW, all of these with --accept`
      )
    }
    const payload = { test_aliases: rows.map(({ from, to }) => ({ from, to })) }
    const made = yield* session.call(repository, (api) => api.createTestAliases({ params, payload, ...both }))
    yield* Session.print(given, made.body, () => made.value.test_aliases.map(sentenceOf).join("\n"))
  })
).pipe(
  Command.withDescription(
    "List tests that stopped running on the default branch where others with the same title, or a similar one, appeared in the last " +
      "14 days. Nothing is renamed until somebody accepts it."
  ),
  Command.withShortDescription("List proposed renames"),
  Command.withExamples([
    { command: "lazaret tests renames", description: "List what may have been renamed" },
    { command: "lazaret tests renames --limit 1000 --accept", description: "Accept all proposals, after reading them" }
  ])
)

const renamed: ReadonlyArray<Table.Column<Rename>> = [
  { heading: "old name", cell: ({ from }) => from, canShrink: true },
  { heading: "new name", cell: ({ to }) => to, canShrink: true },
  { heading: "first seen", cell: ({ first_seen_at }) => Session.minuteOf(first_seen_at) },
  { heading: "alike", cell: ({ shared_by }) => String(shared_by), isNumber: true }
]
