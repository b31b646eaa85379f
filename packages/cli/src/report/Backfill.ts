/** `lazaret backfill`: the reports of past runs. */
import type { Repository } from "@lazaret/domain"
import { Clock, Console, Effect, type Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import { plain } from "../terminal/Terminal.ts"

interface Given extends Flags.Server {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly days: number
}

/** Reads the artifacts of past runs, step by step. */
export const command = Command.make(
  "backfill",
  {
    ...Flags.ofRepository,
    days: Flag.Int("days").pipe(
      Flag.withDescription("How many days back (30)"),
      Flag.filter(
        (days) => days >= 1 && days <= 90,
        (days) => `"${days}" is not between 1 and 90: GitHub keeps artifacts for 90 days`
      ),
      Flag.withDefault(30)
    )
  },
  Effect.fn("lazaret.backfill")(function* (given: Given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const from = (yield* Clock.currentTimeMillis) - given.days * 86_400_000
    const total = { runs: 0, artifacts: 0, recorded: 0, duplicates: 0, problems: new Array<string>() }
    let page: number | null = 1
    while (page !== null) {
      const payload: { readonly from: number; readonly page: number } = { from, page }
      const { value } = yield* session.call(name, (api) => api.backfillRepository({ params, payload, ...both }))
      total.runs += value.runs
      total.artifacts += value.artifacts
      total.recorded += value.executions.recorded
      total.duplicates += value.executions.duplicates
      total.problems.push(...value.problems)
      page = value.next_page
    }
    yield* session.progress.clear
    if (!given.json) for (const problem of total.problems) yield* Console.error(`lazaret: ${plain(problem)}`)
    yield* Session.print(given, total, () =>
      [
        `${name}: ${total.recorded} results recorded, ${total.duplicates} were known`,
        `${total.artifacts} artifacts of ${total.runs} runs were read`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Read the test reports in the artifacts of past runs (GitHub Actions, GitLab CI), with the times of their runs. It may be interrupted and " +
      "repeated: an artifact never counts twice. This command needs an admin key."
  ),
  Command.withShortDescription("Read the reports of past runs"),
  Command.withExamples([{ command: "lazaret backfill --repo acme/widgets --days 30", description: "The last 30 days" }])
)
