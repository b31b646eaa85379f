/** `lazaret verdicts`: how often verdicts were right, and what people say that failures were. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import { minuteOf } from "../connection/Session.ts"
import { plain } from "../terminal/Terminal.ts"
import * as Subject from "./Subject.ts"
import * as Words from "../terminal/Words.ts"

type Precision = typeof Schemas.VerdictPrecision.Type

const precision = Command.make(
  "precision",
  Flags.ofRepository,
  Effect.fn("lazaret.verdicts.precision")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getVerdictPrecision({ params, ...both }))
    yield* Session.print(given, body, () => linesOf(value))
  })
).pipe(
  Command.withDescription(
    "Show how often `flaky` was right in the last 30 days: by later runs of the same code, and by the marks of people."
  ),
  Command.withShortDescription("Show how often `flaky` was right")
)

const linesOf = (found: Precision): string =>
  [
    found.sentence,
    ...(found.calibration_error === null
      ? []
      : [`the average error of its probabilities was ${found.calibration_error.toFixed(3)}`]),
    ...found.learning.map(lineOfStage),
    `people marked ${Words.counted(found.marked_real, "failure")} as real and ${found.marked_flaky} as flaky`,
    found.retry_sentence,
    found.suspended_since === null
      ? "failures pass the gate as its settings say"
      : `no failure passes the gate by its verdict since ${minuteOf(found.suspended_since)}`
  ].join("\n")

const lineOfStage = ({ error, from, to, uncalibrated }: Precision["learning"][number]): string =>
  `outcomes ${from} to ${to}: the squared error of the probabilities was ${error.toFixed(3)} ` +
  `(${uncalibrated.toFixed(3)} without what was learned before)`

const mark = Command.make(
  "mark",
  {
    ...Flags.ofRepository,
    ...Subject.flags,
    job: Flag.String("job").pipe(Flag.withDescription("Only in this job; repeatable"), Flag.atLeast(0)),
    truth: Argument.Literals("truth", ["flaky", "real"]).pipe(Argument.withDescription("What the failure was")),
    test: Argument.String("test").pipe(Argument.withDescription("Fully qualified name of the test"))
  },
  Effect.fn("lazaret.verdicts.mark")(function* (given) {
    const subject = yield* Subject.subjectOf(given)
    const { params, session } = yield* Session.ofRepository(given)
    const query = { job_name: given.job }
    const { entries } = yield* Subject.list(session, params, subject, { most: Infinity, query })
    const failures = entries.flatMap(({ row: { execution_id, test_id, test_name } }) =>
      test_name === given.test && execution_id !== null ? [{ test_id, execution_id }] : []
    )
    if (failures.length === 0) {
      const message = `${Subject.nameOf(subject)} has no failure of ${plain(given.test)}. \`lazaret triage\` lists its failures.`
      return yield* CommandFailure.usage(message)
    }
    const marked = yield* Effect.forEach(failures, (failure) =>
      session.call(`failure ${failure.execution_id}`, (api) =>
        api.markFailure({ params: { ...params, ...failure }, payload: { truth: given.truth }, ...both })
      )
    )
    yield* Session.print(
      given,
      marked.map(({ body }) => body),
      () => marked.map(({ value }) => lineOf(value)).join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Say what the failures of a test were: flaky, or real. The last mark on a failure counts, and is shown with its author."
  ),
  Command.withShortDescription("Say what a failure was"),
  Command.withExamples([
    { command: 'lazaret verdicts mark real "Cart > sorts" --pull 42', description: "The verdict was wrong" }
  ])
)

const lineOf = (marked: typeof Schemas.MarkedFailure.Type): string =>
  `marked as ${marked.truth}: ${plain(marked.test_name)} in job ${plain(marked.job_name)} (the verdict was ${marked.verdict})`

/** The verdicts of a repository in the field. */
export const command = Command.make("verdicts").pipe(
  Command.withDescription("Show how often verdicts were right, and correct them."),
  Command.withShortDescription("Check and correct verdicts"),
  Command.withSubcommands([precision, mark])
)
