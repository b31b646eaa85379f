/** `lazaret tests`: search, show, explain. */
import type { Schemas } from "@lazaret/api"
import type { Repository, TestList } from "@lazaret/domain"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../Request.ts"
import * as CommandFailure from "../CommandFailure.ts"
import * as Dashboard from "../Dashboard.ts"
import * as Flags from "../Flags.ts"
import * as Session from "../Session.ts"
import * as Table from "../Table.ts"
import * as TestName from "../TestName.ts"
import { colourOf, paint, plain, type Terminal } from "../Terminal.ts"
import * as Words from "../Words.ts"

type Row = typeof Schemas.ListedTest.Type

type Details = typeof Schemas.TestDetails.Type

type Failure = typeof Schemas.TestFailure.Type

type Identity = typeof Schemas.ExplainedIdentity.Type

type Execution = typeof Schemas.ExplainedExecution.Type

type Explained = typeof Schemas.ExplainedTest.Type

type BranchRun = typeof Schemas.BranchRun.Type

type BranchTest = typeof Schemas.BranchTest.Type

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

const levels = ["low", "medium", "high"] as const

/** The sort keys of the list. The domain is not loaded for them: every command would start later. */
const sorts = [
  "attention",
  "failure_ratio",
  "executions_count",
  "last_failure_at",
  "mean_duration",
  "first_seen_at",
  "test_name",
  "pipeline_name",
  "job_name"
] as const satisfies ReadonlyArray<TestList.Sort>

const search = Command.make(
  "search",
  {
    ...Flags.ofRepository,
    exclude: several("exclude", "Exclude these names, with * and ?; repeatable"),
    pipeline: several("pipeline", "Only this pipeline, with * and ?; repeatable"),
    job: several("job", "Only this job, with * and ?; repeatable"),
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
    sort: Flag.Literals("sort", sorts).pipe(
      Flag.withDescription("Sort key (attention: broken before flaky, most failures first)"),
      Flag.optional
    ),
    direction: Flag.Literals("direction", ["asc", "desc"]).pipe(
      Flag.withDescription("Sort direction (desc)"),
      Flag.optional
    ),
    limit: Flags.limit,
    names: Argument.String("name").pipe(
      Argument.withDescription("Names of tests, with * and ?; without a name, all tests"),
      Argument.variadic({ min: 0 })
    )
  },
  Effect.fn("lazaret.tests.search")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const query = {
      test_name: given.names,
      test_name_exclude: given.exclude,
      pipeline_pattern: given.pipeline,
      job_pattern: given.job,
      health_status: given.health,
      health_confidence: given.confidence,
      failed_executions_impact: given.impact,
      ...Option.match(given.sort, { onNone: () => ({}), onSome: (sort) => ({ sort }) }),
      ...Option.match(given.direction, { onNone: () => ({}), onSome: (direction) => ({ direction }) })
    }
    const found = yield* session.list({
      subject: name,
      key: "tests",
      most: given.limit,
      page: (api, at) => api.listTests({ params, query: { ...query, ...at }, ...both })
    })
    const { entries, first, json } = found
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
      if (entries.length === 0) return "no test matches"
      const rows = entries.map(({ row }) => row)
      const table = Table.make(terminal, columnsOn(terminal), rows)
      return rows.length < first.total ? `${table}\n\n${rows.length} of ${first.total}; more with --limit` : table
    })
  })
).pipe(
  Command.withDescription(
    "Search tests, worst first. A test has one row for each pipeline and job that runs it. Rates, runs and durations are of the last 30 days."
  ),
  Command.withShortDescription("Search tests"),
  Command.withExamples([
    {
      command: "lazaret tests search --health flaky --health broken",
      description: "The tests that need attention, worst first"
    },
    { command: "lazaret tests search --sort mean_duration --limit 10", description: "The slowest tests" },
    { command: 'lazaret tests search "cart > *"', description: "The tests of the cart" }
  ])
)

const columns: ReadonlyArray<Table.Column<Row>> = [
  {
    heading: "health",
    cell: ({ health_status }) => health_status,
    colour: ({ health_status }) => colourOf(health_status)
  },
  { heading: "failed", cell: ({ failure_ratio }) => percent(failure_ratio), isNumber: true },
  { heading: "runs", cell: ({ executions_count }) => String(executions_count), isNumber: true },
  { heading: "confidence", cell: ({ health_confidence }) => health_confidence },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]

/** The ids have no place next to the names on a narrow terminal. */
const columnsOn = ({ columns: width }: Terminal): ReadonlyArray<Table.Column<Row>> =>
  width !== null && width < 140 ? columns : [...columns, { heading: "id", cell: ({ test_id }) => test_id }]

const test = Argument.String("test").pipe(
  Argument.withDescription("Fully qualified name of the test, or its id"),
  Argument.filter(
    (text) => text.trim() !== "",
    (text) => `"${text}" is empty`
  )
)

const show = Command.make(
  "show",
  { ...Flags.ofRepository, test },
  Effect.fn("lazaret.tests.show")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, test_id: yield* TestName.idOf(given.test) }
    const explained = yield* session
      .call(null, (api) => api.explainTest({ params: one, ...both }))
      .pipe(Effect.mapError(unknownTest(name, given.test)))
    const { elsewhere, health_status } = explained.value
    if (health_status === null) {
      return yield* Session.print(given, explained.body, (terminal) =>
        unmergedOf(terminal, explained.value, session, one)
      )
    }
    const details = yield* session.call(plain(given.test), (api) => api.getTest({ params: one, ...both }))
    const failures = yield* session.call(plain(given.test), (api) => api.listTestFailures({ params: one, ...both }))
    const runs = yield* runsOf(session, one)
    const body = { ...asObject(details.body), ...asObject(failures.body), elsewhere }
    return yield* Session.print(given, body, (terminal) =>
      detailsOf(terminal, details.value, {
        failures: failures.value.failures,
        runs,
        elsewhere: elsewhere.sentence,
        link: linkOf(session, one)
      })
    )
  })
).pipe(
  Command.withDescription("Show the figures of a test and its failures."),
  Command.withShortDescription("Show a test"),
  Command.withExamples([{ command: 'lazaret tests show "cart > pays with a card"', description: "Show a test" }])
)

interface One extends Repository.RepositoryRef {
  readonly test_id: string
}

const linkOf = ({ connection }: Session.Session, { test_id, ...ref }: One): string =>
  Dashboard.test(connection.url, ref, test_id)

/** How many times a test has passed and failed in the last 30 UTC days, today included, as the ratios count. */
const runsOf = Effect.fnUntraced(function* (session: Session.Session, one: One) {
  const now = yield* Clock.currentTimeMillis
  const day = 86_400_000
  const query = { start: (Math.floor(now / day) - 29) * day, end: now + day }
  const counts = yield* Effect.forEach(["success_count", "failure_count"] as const, (stat) =>
    session.call(null, (api) => api.getTestStatistic({ params: { ...one, stat }, query, ...both }))
  )
  return counts.reduce((sum, { value }) => sum + (value.value ?? 0), 0)
})

const asObject = (body: unknown): object => (typeof body === "object" && body !== null ? body : {})

interface More {
  readonly failures: ReadonlyArray<Failure>
  readonly runs: number
  readonly elsewhere: string | null
  readonly link: string
}

const detailsOf = (terminal: Terminal, details: Details, { elsewhere, failures, link, runs }: More): string =>
  [
    headingOf(terminal, details),
    link,
    "",
    Table.fields([
      ["id", details.test_id],
      ["last", details.last_conclusion],
      ["30 days", Words.counted(runs, "run")],
      ["passed", percent(details.success_ratio)],
      ["failed", percent(details.failure_ratio)],
      ["flaky", percent(details.flakiness_ratio)],
      ["last success", Session.minuteOf(details.last_success_at)],
      ["last failure", Session.minuteOf(details.last_failure_at)],
      ["first failure", firstFailure(details)],
      ["file", plain(details.test_filepath ?? "unknown")],
      ["framework", plain(details.test_framework ?? "unknown")],
      ...(elsewhere === null ? [] : [["other branches", plain(elsewhere)] as const])
    ]),
    ...(failures.length === 0 ? [] : ["", Table.make(terminal, failureColumns, failures)])
  ].join("\n")

const headingOf = (
  terminal: Terminal,
  { health_status, test_name }: Pick<Details, "health_status" | "test_name">
): string =>
  `${paint(terminal, "bold", plain(test_name))} is ${paint(terminal, colourOf(health_status), health_status)}`

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

const firstFailure = ({ first_failure_at, first_failure_commit, first_failure_pull }: Details): string => {
  const commit = first_failure_commit === null ? "" : `, commit ${plain(first_failure_commit).slice(0, 12)}`
  const pull = first_failure_pull === null ? "" : `, #${first_failure_pull.number} ${plain(first_failure_pull.title)}`
  return first_failure_at === null ? "never" : `${Session.minuteOf(first_failure_at)}${commit}${pull}`
}

const failureColumns: ReadonlyArray<Table.Column<Failure>> = [
  { heading: "failures", cell: ({ failure_count }) => String(failure_count), isNumber: true },
  { heading: "last", cell: ({ last_failure_at }) => Session.minuteOf(last_failure_at) },
  { heading: "exception", cell: ({ exception_type }) => exception_type, canShrink: true },
  { heading: "message", cell: ({ exception_message }) => exception_message.split("\n", 1)[0] ?? "", canShrink: true }
]

const explain = Command.make(
  "explain",
  { ...Flags.ofRepository, limit: Flags.limit, test },
  Effect.fn("lazaret.tests.explain")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, test_id: yield* TestName.idOf(given.test) }
    const explained = yield* session
      .call(null, (api) => api.explainTest({ params: one, ...both }))
      .pipe(Effect.mapError(unknownTest(name, given.test)))
    const { elsewhere, health_status, identities, test_name } = explained.value
    yield* Session.print(given, explained.body, (terminal) =>
      health_status === null
        ? unmergedOf(terminal, explained.value, session, one)
        : [
            `${headingOf(terminal, { health_status, test_name })}\n${linkOf(session, one)}`,
            ...identities.map((each) => identityOf(terminal, each, given.limit)),
            ...(elsewhere.sentence === null ? [] : [`Other branches: ${plain(elsewhere.sentence)}`])
          ].join("\n\n")
    )
  })
).pipe(
  Command.withDescription(
    "Explain the health of a test: the rule, the executions that led to it, and the condition of recovery."
  ),
  Command.withShortDescription("Explain the health of a test"),
  Command.withExamples([
    { command: 'lazaret tests explain "cart > pays with a card"', description: "Explain a verdict" }
  ])
)

/** A test that has run on other branches only. */
const unmergedOf = (
  terminal: Terminal,
  { elsewhere, test_name }: Explained,
  session: Session.Session,
  one: One
): string =>
  [
    `${paint(terminal, "bold", plain(test_name))} has no health yet`,
    linkOf(session, one),
    "",
    plain(elsewhere.sentence ?? ""),
    ...(elsewhere.latest.length === 0 ? [] : ["", Table.make(terminal, branchColumns, elsewhere.latest.toReversed())])
  ].join("\n")

const branchColumns: ReadonlyArray<Table.Column<BranchRun>> = [
  { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  {
    heading: "outcome",
    cell: ({ conclusion }) => conclusion,
    colour: ({ conclusion }) => (conclusion === "failed" ? "red" : null)
  },
  { heading: "branch", cell: ({ branch }) => branch, canShrink: true },
  { heading: "commit", cell: ({ commit }) => commit.slice(0, 12) },
  { heading: "run", cell: ({ run_id }) => run_id, canShrink: true },
  { heading: "job", cell: ({ job_name, pipeline_name }) => `${pipeline_name} / ${job_name}`, canShrink: true }
]

const elsewhere = Command.make(
  "elsewhere",
  {
    ...Flags.ofRepository,
    limit: Flags.limit,
    words: Argument.String("word").pipe(
      Argument.withDescription("Parts of the name, in any case; without one, all of these tests"),
      Argument.variadic({ min: 0 })
    )
  },
  Effect.fn("lazaret.tests.elsewhere")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const words = given.words.join(" ")
    const { entries, first, json } = yield* session.list({
      subject: name,
      key: "tests",
      most: given.limit,
      page: (api, at) =>
        api.listBranchTests({ params, query: { ...(words !== "" && { search: words }), ...at }, ...both })
    })
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) => {
      if (entries.length === 0) return "no test has run on other branches only in the last 30 days"
      const rows = entries.map(({ row }) => row)
      const table = Table.make(terminal, elsewhereColumns, rows)
      return rows.length < first.total ? `${table}\n\n${rows.length} of ${first.total}; more with --limit` : table
    })
  })
).pipe(
  Command.withDescription(
    "List the tests that have run on other branches in the last 30 days, and never on the default branch. They have no health yet."
  ),
  Command.withShortDescription("List tests of other branches only"),
  Command.withExamples([
    { command: "lazaret tests elsewhere voucher", description: "The new tests with voucher in their name" }
  ])
)

const elsewhereColumns: ReadonlyArray<Table.Column<BranchTest>> = [
  { heading: "failed", cell: ({ failed }) => String(failed), isNumber: true },
  { heading: "passed", cell: ({ passed }) => String(passed), isNumber: true },
  { heading: "branches", cell: ({ branches }) => String(branches), isNumber: true },
  { heading: "last on", cell: ({ last_run }) => last_run.branch, canShrink: true },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]

const identityOf = (terminal: Terminal, each: Identity, most: number): string => {
  const status = paint(terminal, colourOf(each.health_status), each.health_status)
  const executions = [...each.evidence, ...each.context].sort((a, b) => a.finished_at - b.finished_at)
  const place = `${plain(each.pipeline_name)} / ${plain(each.job_name)}`
  return [
    `${place}: ${status} since ${Session.minuteOf(each.since)} (${each.rule}: ${rules[each.rule]})`,
    `confidence ${each.confidence}: ${certaintyOf(each)}`,
    ...(each.recovery === null ? [] : [plain(each.recovery.sentence).replace(instant, "$1 $2 UTC")]),
    ...each.notes.map(plain),
    ...(executions.length === 0 ? [] : [Table.make(terminal, executionColumns, executions.slice(-most))]),
    ...(executions.length <= most ? [] : [`the latest ${most} of ${executions.length} executions; more with --limit`])
  ].join("\n")
}

const instant = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[:.\d]*Z/g

/** The rules of the health model in a few words. */
const rules: { readonly [R in Identity["rule"]]: string } = {
  start: "no failure has counted against it",
  failure: "failed, and has not passed since",
  in_job_rerun: "failed and passed within one job",
  contradiction: "failed and passed on the same commit",
  repeated_episode: "failed again soon after it had recovered",
  single_failure: "failed on one commit alone, and passed on the next",
  other_branch: "failed and passed in one run of another branch",
  persistent_failure: "failed on more commits in a row than a flake explains",
  passes_in_a_row: "passed often enough in a row",
  clean_passes: "passed long enough without another contradiction"
}

/**
 * The level counts the reruns since the status last changed, the bound the clean ones since the last failure. A bound of half of
 * the runs or more says nothing.
 */
const certaintyOf = ({ clean_reruns, confidence_reason, flake_rate_bound }: Identity): string =>
  flake_rate_bound >= 0.5
    ? plain(confidence_reason)
    : `${plain(confidence_reason)} (${Words.counted(clean_reruns, "clean rerun")} since the last failure: with 95 % certainty less than ${percent(flake_rate_bound)} of its runs fail by chance)`

const executionColumns: ReadonlyArray<Table.Column<Execution>> = [
  { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  { heading: "commit", cell: ({ commit }) => commit.slice(0, 12) },
  {
    heading: "outcome",
    cell: ({ conclusion, flaky }) => (flaky ? `${conclusion}, flaky` : conclusion),
    colour: ({ conclusion, flaky }) => (flaky ? "yellow" : conclusion === "failed" ? "red" : null)
  },
  { heading: "exception", cell: ({ exception_type }) => exception_type ?? "", canShrink: true },
  { heading: "log", cell: ({ job_url }) => job_url ?? "", canShrink: true }
]

/** The server names the id of a test; the person who typed its name knows the name. */
const unknownTest = (repository: string, name: string) => (failure: CommandFailure.CommandFailure) =>
  failure.status === 404
    ? CommandFailure.refused(
        `${plain(name)}: No test of this name or id has run on the default branch of ${repository}, or on another branch in the last 30 days. ` +
          'Find it with a part of its name: lazaret tests search "*part*"',
        404
      )
    : failure

/** Finds and explains tests. */
export const command = Command.make("tests").pipe(
  Command.withDescription("Find tests, and see which of them can be trusted and why."),
  Command.withShortDescription("Search, show and explain tests"),
  Command.withSubcommands([search, show, explain, elsewhere])
)
