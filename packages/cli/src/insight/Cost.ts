/** `lazaret cost`: what flaky tests cost, and what to mend first. */
import type { Cost } from "@lazaret/domain"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Table from "../terminal/Table.ts"
import * as CostText from "./CostText.ts"

const mostWeeks = 12

const weeks = Flag.Int("weeks").pipe(
  Flag.withDescription("How many weeks back to look, this one included, 1 to 12 (4)"),
  Flag.filter(
    (value) => value >= 1 && value <= mostWeeks,
    (value) => `"${value}" is not between 1 and ${mostWeeks}`
  ),
  Flag.withDefault(4)
)

const by = Flag.Literals("by", ["cause", "test", "owner", "week"]).pipe(
  Flag.withDescription("The rows of the table (cause)"),
  Flag.withDefault("cause" as const)
)

const cost = Effect.fn("lazaret.cost")(function* (
  given: Flags.OfRepository & { readonly limit: number; readonly weeks: number; readonly by: Cost.By }
) {
  const { name, params, session } = yield* Session.ofRepository(given)
  const { entries, first, json } = yield* session.list({
    subject: name,
    key: "costs",
    most: given.limit,
    page: (api, at) => api.listCosts({ params, query: { ...at, by: given.by, weeks: given.weeks }, ...both })
  })
  yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
    const { figures } = first
    const last = CostText.lastOf(first)
    if (figures === null) return last
    const rows = entries.map(({ row }) => row)
    const table = rows.length === 0 ? [] : [Table.make(terminal, CostText.columnsOf(figures), rows)]
    return [...table, CostText.figuresOf(figures), last].join("\n\n")
  })
})

/** Shows costs. */
export const command: Loaded<"cost"> = Command.make(
  "cost",
  { ...Flags.ofRepository, limit: Flags.limit, weeks, by },
  cost
).pipe(
  Command.withDescription(
    "Show what flaky tests cost: the time of jobs that only flakes made red or that ran again for them, and the time for which commits " +
      "waited. The most expensive rows come first. Costs are computed some minutes after reports."
  ),
  Command.withShortDescription("What flaky tests cost"),
  Command.withExamples([
    { command: "lazaret cost --limit 5", description: "The five causes that are worth mending first" },
    { command: "lazaret cost --by owner --weeks 1", description: "This week by owner" }
  ])
)
