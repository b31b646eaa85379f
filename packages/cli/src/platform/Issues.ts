/** `lazaret issues`: list. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"
import * as TestName from "../connection/TestName.ts"

type Listing = typeof Schemas.IssueList.Type

type Issue = Listing["issues"][number]

const list = Command.make(
  "list",
  {
    ...Flags.ofRepository,
    test: Flag.String("test").pipe(
      Flag.withDescription("Only the issue of this test: its fully qualified name, or its id"),
      Flag.optional
    )
  },
  Effect.fn("lazaret.issues.list")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const query = Option.isSome(given.test) ? { test_id: yield* TestName.idOf(given.test.value) } : {}
    const { body, value } = yield* session.call(name, (api) => api.listIssues({ params, query, ...both }))
    yield* Session.print(given, body, (terminal) => {
      const table = value.issues.length === 0 ? "there is no issue" : Table.make(terminal, columns, value.issues)
      return [table, "", stateOf(value)].join("\n")
    })
  })
).pipe(
  Command.withDescription(
    "List the issues of unhealthy tests in the issue tracker: open ones first, then those that were opened last; at most 1,000. It " +
      "also shows when tests and issues were compared last, and why that failed. lazaret repo set issues=flaky_and_broken turns " +
      "issues on."
  ),
  Command.withShortDescription("List the issues of tests"),
  Command.withExamples([
    { command: "lazaret issues list", description: "The issues of the repository" },
    { command: 'lazaret issues list --test "cart > pays"', description: "The issue of one test" }
  ])
)

const columns: ReadonlyArray<Table.Column<Issue>> = [
  { heading: "issue", cell: ({ issue }) => issue },
  { heading: "state", cell: ({ closed_by, is_open }) => (is_open ? "open" : `closed (${closed_by ?? "unknown"})`) },
  { heading: "opened", cell: ({ opened_at }) => Session.dayOf(opened_at) },
  { heading: "url", cell: ({ url }) => url, canShrink: true },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true }
]

/** The last comparison with the tracker. */
const stateOf = ({ checked_at, failure, next_at }: Listing): string => {
  if (checked_at === null) return "tests and issues were not compared yet"
  const next = next_at === null ? "" : `; again at ${Session.minuteOf(next_at)} at the latest`
  const outcome = failure === null ? "" : `, which failed: ${plain(failure)}`
  return `compared at ${Session.minuteOf(checked_at)}${outcome}${next}`
}

/** The commands on issues. */
export const command = Command.make("issues").pipe(
  Command.withDescription("Issues of unhealthy tests in the issue tracker."),
  Command.withShortDescription("Issues of tests"),
  Command.withSubcommands([list])
)
