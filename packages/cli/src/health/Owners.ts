/** `lazaret owners`: list, show, upload, remove. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import * as TextFile from "../terminal/TextFile.ts"
import { plain } from "../terminal/Terminal.ts"

type Owned = (typeof Schemas.OwnerList.Type)["owners"][number]

type State = typeof Schemas.OwnersState.Type

const list = Command.make(
  "list",
  Flags.ofRepository,
  Effect.fn("lazaret.owners.list")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.listOwners({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.source === null
        ? `${name} has no CODEOWNERS: connect a hosting platform, or upload one with lazaret owners upload`
        : value.owners.length === 0
          ? "no test ran in the last 30 days"
          : Table.make(terminal, columns, value.owners)
    )
  })
).pipe(
  Command.withDescription(
    "List the owners of tests with the number of their tests by health, most unhealthy tests first. Tests of the default branch of " +
      "the last 30 days count, once for each pipeline and job, and for each of their owners."
  ),
  Command.withShortDescription("List owners and their tests"),
  Command.withExamples([{ command: "lazaret owners list", description: "Owners with unhealthy tests first" }])
)

const columns: ReadonlyArray<Table.Column<Owned>> = [
  { heading: "broken", cell: ({ broken }) => String(broken), isNumber: true },
  { heading: "flaky", cell: ({ flaky }) => String(flaky), isNumber: true },
  { heading: "healthy", cell: ({ healthy }) => String(healthy), isNumber: true },
  { heading: "quarantined", cell: ({ quarantined }) => String(quarantined), isNumber: true },
  { heading: "owner", cell: ({ owner }) => owner, canShrink: true }
]

const show = Command.make(
  "show",
  Flags.ofRepository,
  Effect.fn("lazaret.owners.show")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getOwnersFile({ params, ...both }))
    yield* Session.print(given, body, () => `${stateOf(value)}${value.uploaded === null ? "" : `\n\n${textOf(value)}`}`)
  })
).pipe(
  Command.withDescription("Show which CODEOWNERS counts, and the uploaded one."),
  Command.withShortDescription("Show the CODEOWNERS"),
  Command.withExamples([{ command: "lazaret owners show", description: "Show where owners come from" }])
)

const stateOf = ({ rules, source }: State): string =>
  source === null
    ? "there is no CODEOWNERS"
    : `the CODEOWNERS ${source === "platform" ? "of the hosting platform" : "that was uploaded"} counts: ${rules} ${rules === 1 ? "rule" : "rules"}`

/** The uploaded text, line by line. */
const textOf = ({ uploaded }: State): string => (uploaded?.text ?? "").split(/\r?\n/u).map(plain).join("\n")

const upload = Command.make(
  "upload",
  {
    ...Flags.ofRepository,
    dialect: Flag.Literals("dialect", ["github", "gitlab"]).pipe(
      Flag.withDescription("Dialect of the file (that of the connected platform, else github)"),
      Flag.optional
    ),
    file: Argument.String("file").pipe(Argument.withDescription("A CODEOWNERS, such as .github/CODEOWNERS"))
  },
  Effect.fn("lazaret.owners.upload")(function* (given) {
    const text = yield* TextFile.read(given.file, { bytes: 1_000_000, subject: "a CODEOWNERS" })
    const { name, params, session } = yield* Session.ofRepository(given)
    const payload = { text, ...Option.match(given.dialect, { onNone: () => ({}), onSome: (dialect) => ({ dialect }) }) }
    const { body, value } = yield* session.call(name, (api) => api.uploadOwners({ params, payload, ...both }))
    yield* Session.print(given, body, () =>
      value.source === "platform" ? `the file is kept, but ${stateOf(value)}` : stateOf(value)
    )
  })
).pipe(
  Command.withDescription(
    "Upload a CODEOWNERS, for a repository without a hosting platform that shows one. It replaces an uploaded one."
  ),
  Command.withShortDescription("Upload a CODEOWNERS"),
  Command.withExamples([{ command: "lazaret owners upload .github/CODEOWNERS", description: "Upload a CODEOWNERS" }])
)

const remove = Command.make(
  "remove",
  Flags.ofRepository,
  Effect.fn("lazaret.owners.remove")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    yield* session.call(name, (api) => api.removeOwnersFile({ params, ...both }))
    yield* Session.print(given, { removed: name }, () => `the uploaded CODEOWNERS of ${name} is removed`)
  })
).pipe(
  Command.withDescription("Remove the uploaded CODEOWNERS."),
  Command.withShortDescription("Remove the uploaded CODEOWNERS"),
  Command.withExamples([{ command: "lazaret owners remove", description: "Remove the uploaded CODEOWNERS" }])
)

/** Lists owners of tests, and keeps a CODEOWNERS. */
export const command = Command.make("owners").pipe(
  Command.withDescription("List the owners of tests, and upload a CODEOWNERS."),
  Command.withShortDescription("List owners, upload CODEOWNERS"),
  Command.withSubcommands([list, show, upload, remove])
)
