/** `lazaret outages`. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"

/** Lists the outages of a repository. */
export const command: Loaded<"outages"> = Command.make(
  "outages",
  { ...Flags.ofRepository, limit: Flags.limit },
  Effect.fn("lazaret.outages")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { entries, first, json } = yield* session.list({
      subject: name,
      key: "outages",
      most: given.limit,
      page: (api, at) => api.listOutages({ params, query: at, ...both })
    })
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
      if (entries.length === 0) return "no job run was an outage"
      const rows = entries.map(({ row }) => row)
      const table = Table.make(terminal, columns, rows)
      return rows.length < first.total ? `${table}\n\n${rows.length} of ${first.total}; more with --limit` : table
    })
  })
).pipe(
  Command.withDescription(
    "List the job runs of the default branch in which many tests failed at once that had passed before, the latest first."
  ),
  Command.withShortDescription("List outages"),
  Command.withExamples([{ command: "lazaret outages --limit 5", description: "The last five outages" }])
)

const columns: ReadonlyArray<Table.Column<typeof Schemas.OutageRun.Type>> = [
  { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  { heading: "failed", cell: ({ failed, passed_before }) => `${failed} of ${passed_before}`, isNumber: true },
  { heading: "health", cell: ({ excused }) => (excused ? "excused" : "counts") },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true },
  { heading: "run", cell: ({ run_id }) => run_id, canShrink: true },
  { heading: "commit", cell: ({ commit }) => commit.slice(0, 12) }
]
