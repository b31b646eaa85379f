/** `lazaret tests`: search, show, explain. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import * as LimitFlag from "./LimitFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const flags = { repo: RepositoryFlag.optional, ...Connection.flags, json: JsonFlag.flag }

const operations = load(() => import("./Tests.ts"))

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

const levels = ["low", "medium", "high"] as const

const search = Command.make(
  "search",
  {
    ...flags,
    exclude: several("exclude", "Names that are left out, with * and ?; repeatable"),
    pipeline: several("pipeline", "Only of this pipeline, with * and ?; repeatable"),
    job: several("job", "Only of this job, with * and ?; repeatable"),
    health: Flag.Literals("health", ["healthy", "flaky", "broken"]).pipe(
      Flag.withDescription("Only tests of this health; repeatable"),
      Flag.atLeast(0)
    ),
    confidence: Flag.Literals("confidence", levels).pipe(
      Flag.withDescription("Only verdicts of this confidence; repeatable"),
      Flag.atLeast(0)
    ),
    impact: Flag.Literals("impact", levels).pipe(
      Flag.withDescription("Only failures of this impact; repeatable"),
      Flag.atLeast(0)
    ),
    sort: Flag.Literals("sort", [
      "executions_count",
      "test_name",
      "pipeline_name",
      "job_name",
      "health_status",
      "health_confidence",
      "failed_executions_impact",
      "failed_executions_ratio"
    ]).pipe(Flag.withDescription("What the list is sorted by (executions_count)"), Flag.optional),
    direction: Flag.Literals("direction", ["asc", "desc"]).pipe(
      Flag.withDescription("Upwards or downwards (desc)"),
      Flag.optional
    ),
    limit: LimitFlag.flag,
    names: Argument.String("name").pipe(
      Argument.withDescription("Names of tests, with * and ?; all tests when none is given"),
      Argument.variadic({ min: 0 })
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.search(given))
).pipe(
  Command.withDescription("Search tests, each in the pipelines and jobs that run it."),
  Command.withShortDescription("Search tests"),
  Command.withExamples([
    {
      command: "lazaret tests search --health flaky --health broken --sort failed_executions_ratio",
      description: "The tests that fail most"
    },
    { command: 'lazaret tests search "cart > *"', description: "The tests of the cart" }
  ])
)

const test = Argument.String("test").pipe(
  Argument.withDescription("Fully qualified name of the test, or its id"),
  Argument.filter(
    (text) => text.trim() !== "",
    (text) => `"${text}" is empty`
  )
)

const show = Command.make("show", { ...flags, test }, (given) =>
  Effect.flatMap(operations, (each) => each.show(given))
).pipe(
  Command.withDescription("Show what is known of a test, and its failures."),
  Command.withShortDescription("Show a test"),
  Command.withExamples([{ command: 'lazaret tests show "cart > pays with a card"', description: "Show a test" }])
)

const explain = Command.make("explain", { ...flags, limit: LimitFlag.flag, test }, (given) =>
  Effect.flatMap(operations, (each) => each.explain(given))
).pipe(
  Command.withDescription(
    "Say why a test has its health: the rule, the executions behind it, and what recovery needs."
  ),
  Command.withShortDescription("Say why a test has its health"),
  Command.withExamples([
    { command: 'lazaret tests explain "cart > pays with a card"', description: "Explain a verdict" }
  ])
)

/** Finds tests and tells about them. */
export const command = Command.make("tests").pipe(
  Command.withDescription("Find tests, and see which of them can be trusted and why."),
  Command.withShortDescription("Search, show and explain tests"),
  Command.withSubcommands([search, show, explain])
)
