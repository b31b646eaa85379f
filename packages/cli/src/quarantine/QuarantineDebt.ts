/** `lazaret quarantine debt`: what quarantines cost. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import * as Words from "../terminal/Words.ts"

type Debt = typeof Schemas.QuarantineDebt.Type

type Item = Debt["quarantines"][number]

type Owner = Debt["owners"][number]

/** Shows the debt of a repository. */
export const debt: Loaded<"debt"> = Command.make(
  "debt",
  Flags.ofRepository,
  Effect.fn("lazaret.quarantine.debt")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getQuarantineDebt({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.total === 0
        ? "no test is quarantined"
        : [
            summaryOf(value),
            "",
            Table.make(terminal, ownerColumns, value.owners),
            "",
            Table.make(terminal, columns, value.quarantines)
          ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Show how many tests are quarantined, how old the quarantines are and whose, the CI runs of the default branch that each would have blocked in the last 30 days, and the kinds of failure that are new since it began."
  ),
  Command.withShortDescription("Show what quarantines cost"),
  Command.withExamples([
    { command: "lazaret quarantine debt", description: "Those that would have blocked most come first" },
    {
      command: "lazaret quarantine debt --json | jq '.owners'",
      description: "Quarantines by owner, for a report"
    }
  ])
)

const summaryOf = ({ blocked_runs, quarantines, total }: Debt): string => {
  const oldest = Math.max(...quarantines.map(({ age_days }) => age_days))
  const subject = total === 1 ? "it" : "they"
  return `${Words.counted(total, "quarantine")}, the oldest ${Words.counted(oldest, "day")} old; ${subject} would have blocked ${Words.counted(blocked_runs, "run")} in the last 30 days.`
}

const ownerColumns: ReadonlyArray<Table.Column<Owner>> = [
  { heading: "owner", cell: ({ owner }) => owner ?? "no owner" },
  { heading: "quarantines", cell: ({ quarantines }) => String(quarantines) },
  { heading: "blocked runs", cell: ({ blocked_runs }) => String(blocked_runs) },
  { heading: "oldest", cell: ({ oldest_created_at }) => Session.dayOf(oldest_created_at) }
]

const columns: ReadonlyArray<Table.Column<Item>> = [
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "days", cell: ({ age_days }) => String(age_days) },
  { heading: "blocked", cell: ({ blocked_runs }) => String(blocked_runs) },
  { heading: "new failures", cell: ({ new_failures }) => String(new_failures) },
  { heading: "health", cell: ({ health_status }) => health_status ?? "not run" },
  { heading: "owner", cell: ({ owners }) => (owners.length === 0 ? "no owner" : owners.join(" ")), canShrink: true },
  { heading: "ends", cell: ({ expires_at }) => (expires_at === null ? "never" : Session.dayOf(expires_at)) },
  { heading: "holds in", cell: ({ scope }) => (scope === "merge_queue" ? "merge queue" : "every run") }
]
