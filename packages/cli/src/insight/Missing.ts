/** `lazaret missing`: tests and jobs that did not run although they were expected. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Loaded } from "../ServerCommands.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

type Loss = typeof Schemas.Loss.Type

/** Lists losses, the latest first. */
export const command: Loaded<"missing"> = Command.make(
  "missing",
  {
    ...Flags.ofRepository,
    limit: Flags.limit,
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("Only what was missing in the last run"),
      Flag.withDefault(false)
    ),
    names: Flag.Boolean("names").pipe(Flag.withDescription("Also the names of tests"), Flag.withDefault(false))
  },
  Effect.fn("lazaret.missing")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { entries, first, json } = yield* session.list({
      subject: name,
      key: "losses",
      most: given.limit,
      page: (api, at) => api.listLosses({ params, query: { ...at, ...(given.open ? onlyOpen : {}) }, ...both })
    })
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
      const { computed_at, sentence } = first
      const rows = entries.map(({ row }) => row)
      const last =
        computed_at === null ? plain(sentence) : `${plain(sentence)}, searched at ${Session.minuteOf(computed_at)}`
      const parts = [
        ...(rows.length === 0 ? [] : [Table.make(terminal, columns, rows)]),
        ...(given.names ? rows.map(namesOf) : []),
        last
      ]
      return parts.join("\n\n")
    })
  })
).pipe(
  Command.withDescription(
    "List tests and jobs that did not run on the default branch although they ran in most of the runs before, the latest first. They are " +
      "searched for a quarter of an hour after a run."
  ),
  Command.withShortDescription("Tests that did not run"),
  Command.withExamples([
    { command: "lazaret missing --open", description: "What was missing in the last run" },
    { command: "lazaret missing --limit 3 --names", description: "The latest three losses, with the names of tests" }
  ])
)

const onlyOpen = { state: ["open"] } as const

const columns: ReadonlyArray<Table.Column<Loss>> = [
  { heading: "when", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  { heading: "state", cell: ({ state }) => state },
  { heading: "runs", cell: ({ runs }) => String(runs), isNumber: true },
  { heading: "missing", cell: ({ missing }) => String(missing), isNumber: true },
  { heading: "of", cell: ({ expected }) => String(expected), isNumber: true },
  { heading: "job", cell: (loss) => jobOf(loss), canShrink: true },
  { heading: "what", cell: ({ sentence }) => sentence, canShrink: true }
]

const jobOf = ({ job_names: [first = ""], jobs, pipeline_name }: Loss): string =>
  `${pipeline_name} / ${first}${jobs > 1 ? ` and ${jobs - 1} more` : ""}`

const namesOf = (loss: Loss): string => {
  const { commit, missing, renamed, renames, run_id, sentence, suites, test_names } = loss
  const more = missing - renamed - test_names.length
  return [
    `${plain(jobOf(loss))}, run ${plain(run_id)}, commit ${plain(commit).slice(0, 12)}: ${plain(sentence)}`,
    ...suites.map(({ name, tests }) => `  suite   ${plain(name)}: ${tests}`),
    ...test_names.map((name) => `  test    ${plain(name)}`),
    ...(more > 0 ? [`          and ${more} more`] : []),
    ...renames.map(({ from, to }) => `  rename  ${plain(from)} → ${plain(to)}`)
  ].join("\n")
}
