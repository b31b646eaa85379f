/** `lazaret triage`: whose failures are these? */
import type { Schemas } from "@lazaret/api"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import * as Announcement from "./Announcement.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as MissedLines from "./MissedLines.ts"
import * as Subject from "./Subject.ts"
import * as Verdicts from "./FailureLines.ts"

type ForkRun = (typeof Schemas.TriagePage.Type)["fork_runs"][number]

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

/** The line of a run of a fork, which changes no verdict. */
const lineOfFork = ({ branch, failed, job_name: job, pipeline_name: pipeline, run_id: run }: ForkRun): string =>
  `unproven: run ${Terminal.plain(run)} of the fork ${Terminal.plain(branch)} (${Terminal.plain(pipeline)} · ${Terminal.plain(job)}, ` +
  `${failed} failed) changes no check; lazaret triage --run ${Terminal.plain(run)} shows its failures`

/** Judges the failures of a commit, a run or a pull request. */
export const command: Loaded<"triage"> = Command.make(
  "triage",
  {
    ...Flags.ofRepository,
    ...Subject.flags,
    pipeline: several("pipeline", "Only this pipeline; repeatable"),
    job: several("job", "Only this job; repeatable"),
    limit: Flags.limit,
    ...Announcement.flags
  },
  Effect.fn("lazaret.triage")(function* (given) {
    const subject = yield* Subject.subjectOf(given)
    const { params, session } = yield* Session.ofRepository(given, Session.patienceOfJob)
    const query = { pipeline_name: given.pipeline, job_name: given.job }
    const { entries, first, json } = yield* Subject.list(session, params, subject, { most: given.limit, query })
    const { sentence } = first
    const place = { ...params, url: session.connection.url }
    if (given.json) yield* Session.print(given, json(entries, { per_page: given.limit }), () => "")
    else {
      const failures = entries.map(({ row }) => row)
      const shown = Verdicts.shown(place, failures)
      const annotated = yield* Announcement.annotated(shown)
      const others = failures.filter((each) => !annotated.has(each.test_name))
      const text = Verdicts.lines(yield* Terminal.current, place, others)
      const page = Subject.pageOf(place, subject)
      yield* Console.log([...(text === "" ? [] : [text]), `${Terminal.plain(sentence)} ${page}`].join("\n"))
      for (const line of first.missing.flatMap(MissedLines.linesOf)) yield* Console.log(line)
      for (const line of first.fork_runs.map(lineOfFork)) yield* Console.log(line)
      if (failures.length > 0) yield* Announcement.write(shown, page, given)
    }
    const exitCode = Verdicts.exitCodeOf(first)
    if (exitCode !== ExitCode.done) {
      return yield* new CommandFailure.CommandFailure({ message: `${Subject.nameOf(subject)}: ${sentence}`, exitCode })
    }
  })
).pipe(
  Command.withDescription(
    "Judge each failure, with the reason: flaky, broken on the base branch, an outage, new, or of a new test. Exits " +
      "with 0 when nothing failed or nothing blocks, and with 10 when a failure blocks."
  ),
  Command.withShortDescription("Judge the failures of a change"),
  Command.withExamples([
    { command: "lazaret triage --pull 42", description: "The failures of a pull request" },
    { command: "lazaret triage --commit 4f1c2a --json", description: "The failures of a commit, for programs" }
  ])
)
