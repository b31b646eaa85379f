/** `lazaret export`: prints executions or causes as lines of JSON, for a database of one's own. */
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Repository } from "@lazaret/domain"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { load } from "../terminal/MissingPackage.ts"

const day = 86_400_000

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Excludes dates such as 2026-02-30, which `Date.parse` reads as a day of March. */
const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/u.test(text) ? Date.parse(text) : Number.NaN
  return at >= 0 && dayOf(at) === text
}

/** Whether the reader of the output has closed it, as `head` does. */
const isReaderGone = (): boolean => process.stdout.errored !== null && process.stdout.errored !== undefined

/**
 * Prints each row as a line of JSON.
 *
 * **Details**
 *
 * Executions are asked for day by day and in pages, so that the memory of this command and of the server is bounded. `--start` goes on at the day
 * that an interrupted export names.
 */
export const command = Command.make(
  "export",
  {
    ...Flags.ofRepository,
    what: Argument.Literals("what", ["executions", "causes"]).pipe(
      Argument.withDescription("What is printed"),
      Argument.withDefault("executions" as const)
    ),
    days: Flag.Int("days").pipe(
      Flag.withDescription("Executions of this many days, the present one included (30)"),
      Flag.filter(
        (days) => days >= 1 && days <= 366,
        (days) => `"${days}" is not between 1 and 366`
      ),
      Flag.withDefault(30)
    ),
    start: Flag.String("start").pipe(
      Flag.withMetavar("date"),
      Flag.withDescription("First day (UTC), such as 2026-11-01; replaces --days"),
      Flag.filter(isDay, (text) => `"${text}" is not a day from 1970 on: write it as 2026-11-01`),
      Flag.optional
    )
  },
  Effect.fn("lazaret.export")(function* (given: Given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    if (given.what === "causes") {
      return yield* pages(session, "causes", (cursor) =>
        session.call(name, (api) =>
          api.listCauses({ params, query: { per_page: 100, ...everyCause, ...cursor }, ...both })
        )
      )
    }
    const now = yield* Clock.currentTimeMillis
    const today = Math.floor(now / day) * day
    const first = Option.match(given.start, {
      onNone: () => today - (given.days - 1) * day,
      onSome: (text) => Date.parse(text)
    })
    if (first > now)
      return yield* CommandFailure.usage(`--start ${Option.getOrElse(given.start, () => "")} is in the future.`)
    for (let start = first; start <= now && !isReaderGone(); start += day) {
      const window = { start, end: start + day }
      yield* pages(session, "executions", (cursor) =>
        session.call(name, (api) =>
          api.exportExecutions({ params, query: { per_page: 100, ...window, ...cursor }, ...both })
        )
      ).pipe(
        Effect.tapError(() =>
          start === first
            ? Effect.void
            : Console.error(
                `lazaret: every day before ${dayOf(start)} is complete: go on with --start ${dayOf(start)}.`
              )
        )
      )
    }
  })
).pipe(
  Command.withDescription(
    "Print the executions of the default branch, or the causes of failures, as lines of JSON (NDJSON). An interrupted export names the day to go on with. " +
      "Tests that did not run in the last 30 days are left out."
  ),
  Command.withShortDescription("Print executions or causes as lines of JSON"),
  Command.withExamples([
    { command: "lazaret export --days 90 > executions.ndjson", description: "The executions of 90 days" },
    { command: "lazaret export causes > causes.ndjson", description: "The causes of failures" }
  ])
)

interface Given extends Flags.Server {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly what: "executions" | "causes"
  readonly days: number
  readonly start: Option.Option<string>
}

const everyCause = { state: ["open", "silenced", "closed", "gone"], kind: ["tests", "change", "outage"] } as const

type Page = Effect.Effect<
  { readonly body: unknown; readonly value: { readonly headers: { readonly link?: string | undefined } } },
  CommandFailure.CommandFailure
>

/** Prints the rows of all pages; one page is in memory at a time. */
const pages = Effect.fnUntraced(function* (
  session: Session.Session,
  key: string,
  page: (at: { readonly cursor?: string }) => Page
) {
  const { cursorOfNext } = yield* load(() => import("../connection/Client.ts"))
  let cursor: string | null = null
  do {
    const at: { readonly cursor?: string } = cursor === null ? {} : { cursor }
    const { body, value }: Effect.Success<Page> = yield* page(at)
    const lines = Session.jsonRows(body, key).map((row) => JSON.stringify(row))
    if (lines.length > 0) yield* Console.log(lines.join("\n"))
    cursor = cursorOfNext(value.headers.link)
  } while (cursor !== null && !isReaderGone())
  return yield* session.progress.clear
})
