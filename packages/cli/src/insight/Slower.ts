/** `lazaret slower`: lists what takes longer than before. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Effect, type Option } from "effect"
import { Command } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

interface Given extends Flags.Server {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

type Line = typeof Schemas.SlowerLine.Type

/** Lists tests and jobs that became slower. */
export const command = Command.make(
  "slower",
  { ...Flags.ofRepository },
  Effect.fn("lazaret.slower")(function* (given: Given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.listSlower({ params, query: {}, ...both }))
    yield* Session.print(given, body, (terminal) => {
      const last = `${plain(value.sentence)}, computed at ${Session.minuteOf(value.computed_at)}`
      return value.lines.length === 0 ? last : `${Table.make(terminal, columns, value.lines)}\n\n${last}`
    })
  })
).pipe(
  Command.withDescription(
    "List tests and jobs of the default branch that take longer than before and still do: the change, since which commit, and the time that " +
      "it adds each week. A job that became slower as a whole is one line."
  ),
  Command.withShortDescription("List what became slower"),
  Command.withExamples([{ command: "lazaret slower", description: "What adds most time each week comes first" }])
)

const nameOf = ({ kind, test_name, tests }: Line): string => {
  if (test_name === null) return `the job as a whole, ${tests} tests`
  return kind === "started" ? `${test_name} (did nothing before)` : test_name
}

const columns: ReadonlyArray<Table.Column<Line>> = [
  { heading: "a week", cell: ({ added_seconds_per_week }) => `+${timeOf(added_seconds_per_week)}`, isNumber: true },
  {
    heading: "change",
    cell: ({ after_seconds, before_seconds }) => `${timeOf(before_seconds)} → ${timeOf(after_seconds)}`
  },
  { heading: "since", cell: ({ started_at }) => Session.dayOf(started_at) },
  { heading: "commits", cell: ({ first_commit, last_commit }) => `${short(last_commit)}..${short(first_commit)}` },
  { heading: "confidence", cell: ({ confidence }) => confidence },
  { heading: "job", cell: ({ job_name, pipeline_name }) => `${pipeline_name} / ${job_name}`, canShrink: true },
  { heading: "test", cell: nameOf, canShrink: true }
]

const short = (commit: string): string => commit.slice(0, 12)

/** Seconds, minutes or hours with one decimal. */
const timeOf = (seconds: number): string => {
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`
}
