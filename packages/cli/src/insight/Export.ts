/** `lazaret export`: writes executions, verdicts, causes or costs as lines of JSON or as Parquet, for a database of one's own. */
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Cost, Repository } from "@lazaret/domain"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as ExportColumns from "./ExportColumns.ts"
import * as ExportSink from "./ExportSink.ts"

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
 * Writes each row as a line of JSON, or as a row of a Parquet file.
 *
 * **Details**
 *
 * Executions and verdicts are asked for day by day and in pages, so that the memory of this command and of the server is bounded. Days
 * without executions are skipped. `--start` goes on at the day that an interrupted export names.
 */
export const command = Command.make(
  "export",
  {
    ...Flags.ofRepository,
    what: Argument.Literals("what", ExportColumns.kinds).pipe(
      Argument.withDescription("What is written"),
      Argument.withDefault("executions" as const)
    ),
    days: Flag.Int("days").pipe(
      Flag.withDescription("Executions or verdicts of this many days, the present one included (30)"),
      Flag.filter(
        (days) => days >= 1 && days <= 366,
        (days) => `"${days}" is not between 1 and 366`
      ),
      Flag.optional
    ),
    start: Flag.String("start").pipe(
      Flag.withMetavar("date"),
      Flag.withDescription("First day (UTC), such as 2026-11-01; replaces --days"),
      Flag.filter(isDay, (text) => `"${text}" is not a day from 1970 on: write it as 2026-11-01`),
      Flag.optional
    ),
    format: Flag.Literals("format", ["ndjson", "parquet"]).pipe(
      Flag.withDescription("Lines of JSON, or Parquet, which needs --output"),
      Flag.withDefault("ndjson" as const)
    ),
    output: Flag.String("output").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("The file to write, which must not exist; without it the rows are printed"),
      Flag.optional
    )
  },
  Effect.fn("lazaret.export")(function* (given: Given) {
    const now = yield* Clock.currentTimeMillis
    const first = yield* firstDay(given, now)
    yield* ExportSink.check(given)
    const { name, params, session } = yield* Session.ofRepository(given)
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const write = yield* ExportSink.open({ kind: given.what, format: given.format, output: given.output })
        const asked: Asked = { name, params, session, write }
        switch (given.what) {
          case "executions":
            return yield* executions(asked, first, now)
          case "verdicts":
            return yield* verdicts(asked, first, now)
          case "causes":
            return yield* causes(asked)
          case "costs":
            return yield* costs(asked)
        }
      })
    )
  })
).pipe(
  Command.withDescription(
    "Write the executions of the default branch, the first verdicts on failures, the causes of failures, or what flaky tests cost, as lines of JSON " +
      "(NDJSON) or as Parquet. An interrupted export names the day to go on with. Executions of tests that did not run in the last 30 days are left out."
  ),
  Command.withShortDescription("Write executions, verdicts, causes or costs as JSON or Parquet"),
  Command.withExamples([
    { command: "lazaret export --days 90 > executions.ndjson", description: "The executions of 90 days" },
    {
      command: "lazaret export verdicts --format parquet --output verdicts.parquet",
      description: "The verdicts of 30 days as a Parquet file"
    },
    { command: "lazaret export causes > causes.ndjson", description: "The causes of failures" }
  ])
)

interface Given extends Flags.Server {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly what: ExportColumns.Kind
  readonly days: Option.Option<number>
  readonly start: Option.Option<string>
  readonly format: "ndjson" | "parquet"
  readonly output: Option.Option<string>
}

interface Asked extends Pick<Effect.Success<ReturnType<typeof Session.ofRepository>>, "name" | "params" | "session"> {
  readonly write: ExportSink.Write
}

/** The start of the first day; causes and costs are of no day. */
const firstDay = ({ days, start, what }: Given, now: number) => {
  if (what === "causes" || what === "costs") {
    return Option.isSome(days) || Option.isSome(start)
      ? Effect.fail(
          CommandFailure.usage(
            `All ${what} are written: leave --days and --start out, which select executions and verdicts.`
          )
        )
      : Effect.succeed(0)
  }
  const first = Option.match(start, {
    onNone: () => Math.floor(now / day) * day - (Option.getOrElse(days, () => 30) - 1) * day,
    onSome: (text) => Date.parse(text)
  })
  return first > now
    ? Effect.fail(CommandFailure.usage(`--start ${dayOf(first)} is in the future.`))
    : Effect.succeed(first)
}

/** Names the day to go on with after a failure, where a day before it is complete. */
const resumable =
  (reached: () => number, first: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapError(self, () =>
      reached() === first
        ? Effect.void
        : Console.error(
            `lazaret: every day before ${dayOf(reached())} is complete: go on with --start ${dayOf(reached())}.`
          )
    )

const executions = Effect.fnUntraced(function* ({ name, params, session, write }: Asked, first: number, now: number) {
  let start = first
  while (start <= now && !isReaderGone()) {
    const window = { start, end: start + day }
    const last = yield* pages({ session, write }, "executions", (cursor) =>
      session.call(name, (api) =>
        api.exportExecutions({ params, query: { per_page: 100, ...window, ...cursor }, ...both })
      )
    ).pipe(resumable(() => window.start, first))
    if (last.next_start === null) return
    start = Math.floor(last.next_start / day) * day
  }
})

/** The server takes windows of 400 days, and keeps no verdict for longer than a year. */
const longest = 399 * day

const verdicts = ({ name, params, session, write }: Asked, first: number, now: number) => {
  const end = Math.floor(now / day) * day + day
  let reached = first
  const noting: ExportSink.Write = (rows) =>
    Effect.map(write(rows), () => {
      const at = rows.at(-1)?.["finished_at"]
      if (typeof at === "string") reached = Math.floor(Date.parse(at) / day) * day
    })
  const window = { start: Math.max(first, end - longest), end }
  return pages({ session, write: noting }, "verdicts", (cursor) =>
    session.call(name, (api) => api.exportVerdicts({ params, query: { per_page: 100, ...window, ...cursor }, ...both }))
  ).pipe(resumable(() => reached, first))
}

const causes = ({ name, params, session, write }: Asked) =>
  pages({ session, write }, "causes", (cursor) =>
    session.call(name, (api) => api.listCauses({ params, query: { per_page: 100, ...everyCause, ...cursor }, ...both }))
  )

const everyCause = { state: ["open", "silenced", "closed", "gone"], kind: ["tests", "change", "outage"] } as const

const tables: ReadonlyArray<Cost.By> = ["cause", "test", "owner", "week"]

const costs = ({ name, params, session, write }: Asked) =>
  Effect.forEach(
    tables,
    (by) =>
      pages({ session, write: (rows) => write(rows.map((row) => ({ by, ...row }))) }, "costs", (cursor) =>
        session.call(name, (api) =>
          api.listCosts({ params, query: { per_page: 100, by, weeks: 12, ...cursor }, ...both })
        )
      ),
    { discard: true }
  )

type Page<B> = Effect.Effect<
  {
    readonly body: unknown
    readonly value: { readonly body: B; readonly headers: { readonly link?: string | undefined } }
  },
  CommandFailure.CommandFailure
>

/** Writes the rows of all pages, and yields the last page; one page is in memory at a time. */
const pages = Effect.fnUntraced(function* <B>(
  { session, write }: Pick<Asked, "session" | "write">,
  key: string,
  page: (at: { readonly cursor?: string }) => Page<B>
) {
  const { cursorOfNext } = yield* load(() => import("../connection/Client.ts"))
  let cursor: string | null = null
  for (;;) {
    const at: { readonly cursor?: string } = cursor === null ? {} : { cursor }
    const { body, value }: Effect.Success<Page<B>> = yield* page(at)
    yield* write(Session.jsonRows(body, key).flatMap((row) => (isRow(row) ? [row] : [])))
    cursor = cursorOfNext(value.headers.link)
    if (cursor !== null && !isReaderGone()) continue
    yield* session.progress.clear
    return value.body
  }
})

const isRow = (row: unknown): row is ExportSink.Row => typeof row === "object" && row !== null
