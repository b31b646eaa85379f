/** `lazaret commits` and `lazaret pulls`: the ways to the failures of a change. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"

type Row = typeof Schemas.ListedCommit.Type

const config = {
  search: Argument.String("search").pipe(
    Argument.withDescription("A part of branch or title, the beginning of a commit, the id of a run, or a number"),
    Argument.optional
  ),
  ...Flags.ofRepository,
  failed: Flag.Boolean("failed").pipe(Flag.withDescription("Only those with a failed job"), Flag.withDefault(false)),
  limit: Flags.limit
}

const listing = <const Name extends string>(
  name: Name,
  operation: "listCommits" | "listPullRequests",
  columns: ReadonlyArray<Table.Column<Row>>
) =>
  Command.make(
    name,
    config,
    Effect.fn(`lazaret.${name}`)(function* (given) {
      const { params, session } = yield* Session.ofRepository(given)
      const filter = {
        ...(given.failed ? { conclusion: "failure" as const } : {}),
        ...Option.match(given.search, { onNone: () => ({}), onSome: (search) => ({ search }) })
      }
      const { entries, first, json } = yield* session.list({
        subject: `${name} of ${params.owner}/${params.repository}`,
        key: "commits",
        most: given.limit,
        page: (api, at) => api[operation]({ params, query: { ...filter, ...at }, ...both })
      })
      yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
        if (entries.length === 0) return "no commit of the last 30 days matches"
        const table = Table.make(
          terminal,
          columns,
          entries.map(({ row }) => row)
        )
        return entries.length < first.total
          ? `${table}\n\n${entries.length} of ${first.total}; more with --limit`
          : table
      })
    })
  )

const jobsOf = ({ failed_jobs: failed, jobs }: Row): string =>
  failed === 0 ? `${jobs} passed` : `${failed} of ${jobs} failed`

const finished: Table.Column<Row> = { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) }
const jobs: Table.Column<Row> = { heading: "jobs", cell: jobsOf }
const failures: Table.Column<Row> = { heading: "failures", cell: ({ failed }) => String(failed), isNumber: true }
const branch: Table.Column<Row> = { heading: "branch", cell: (row) => row.branch, canShrink: true }
const commit: Table.Column<Row> = { heading: "commit", cell: (row) => row.commit.slice(0, 12) }
const pull: Table.Column<Row> = {
  heading: "pull request",
  cell: ({ pull_request: of }) => (of === null ? "" : `#${of.number} ${of.title ?? ""}`.trimEnd()),
  canShrink: true
}

/** Lists commits. */
export const commits: Loaded<"commits"> = listing("commits", "listCommits", [
  finished,
  commit,
  jobs,
  failures,
  branch,
  pull
]).pipe(
  Command.withDescription("List the commits of the last 30 days with the outcomes of their jobs, the latest first."),
  Command.withShortDescription("List commits"),
  Command.withExamples([
    { command: "lazaret commits 4f1c --failed", description: "The red commits that begin with 4f1c" }
  ])
)

/** Lists pull requests. */
export const pulls: Loaded<"pulls"> = listing("pulls", "listPullRequests", [
  finished,
  pull,
  jobs,
  failures,
  branch,
  commit
]).pipe(
  Command.withDescription(
    "List the pull requests of the last 30 days, each with the outcomes of the jobs of its latest commit."
  ),
  Command.withShortDescription("List pull requests"),
  Command.withExamples([{ command: "lazaret pulls --failed", description: "The red pull requests" }])
)
