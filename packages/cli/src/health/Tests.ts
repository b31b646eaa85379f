/** `lazaret tests`: search, show, explain, elsewhere, remove, and those of `TestAliases`. */
import type { TestList } from "@lazaret/domain"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import * as TestAliases from "./TestAliases.ts"
import * as TestName from "../connection/TestName.ts"
import { plain } from "../terminal/Terminal.ts"
import { asObject } from "./tests/ChangeText.ts"
import { detailsOf } from "./tests/DetailsText.ts"
import { identityOf } from "./tests/IdentityText.ts"
import { columnsOn } from "./tests/ListColumns.ts"
import { headingOf, linkOf, type One } from "./tests/TestText.ts"
import * as StressText from "./tests/StressText.ts"
import { elsewhereColumns, unmergedOf } from "./tests/UnmergedText.ts"

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

const levels = ["low", "medium", "high"] as const

/**
 * The sort keys of the list. The domain is not loaded for them: every command would start later. A key that is missing here does
 * not compile.
 */
const sorts: { readonly [S in TestList.Sort]: S } = {
  attention: "attention",
  failure_ratio: "failure_ratio",
  executions_count: "executions_count",
  last_failure_at: "last_failure_at",
  mean_duration: "mean_duration",
  first_seen_at: "first_seen_at",
  test_name: "test_name",
  pipeline_name: "pipeline_name",
  job_name: "job_name"
}

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
      Flag.withDescription(
        "Only tests retested so often since their status changed (low: rarely, high: often); repeatable"
      ),
      Flag.atLeast(0)
    ),
    impact: Flag.Literals("impact", levels).pipe(
      Flag.withDescription("Only failures of this impact; repeatable"),
      Flag.atLeast(0)
    ),
    owner: several("owner", "Only tests of this owner in CODEOWNERS, no-owner or no-file; repeatable"),
    sort: Flag.Literals("sort", Object.values(sorts)).pipe(
      Flag.withDescription("Sort key (attention: broken before flaky, most failures first)"),
      Flag.optional
    ),
    direction: Flag.Literals("direction", ["asc", "desc"]).pipe(
      Flag.withDescription("Sort direction (desc)"),
      Flag.optional
    ),
    limit: Flags.limit,
    name: several("name", "Only tests of this name, with * and ?, upper and lower case as they are; repeatable"),
    words: Argument.String("word").pipe(
      Argument.withDescription(
        "Parts of the name in any order and case; !word leaves tests out, * and ? are wildcards; without a word, all tests"
      ),
      Argument.variadic({ min: 0 })
    )
  },
  Effect.fn("lazaret.tests.search")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const query = {
      test_name: given.name,
      ...(given.words.length === 0 ? {} : { search: given.words.join(" ") }),
      test_name_exclude: given.exclude,
      pipeline_pattern: given.pipeline,
      job_pattern: given.job,
      health_status: given.health,
      health_confidence: given.confidence,
      failed_executions_impact: given.impact,
      owner: given.owner,
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
      const table = Table.make(
        terminal,
        columnsOn(
          terminal,
          rows,
          Option.getOrElse(given.sort, () => sorts.attention)
        ),
        rows
      )
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
    { command: "lazaret tests search cart adds", description: "The tests whose name has both words, in any case" },
    {
      command: 'lazaret tests search --name "cart > *"',
      description: "The tests of the cart, by a pattern of the whole name"
    },
    { command: "lazaret tests search --owner @acme/web --health flaky", description: "The flaky tests of a team" }
  ])
)

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
      .pipe(Effect.catch(unknown({ name, params, session }, given.test)))
    const { elsewhere, health_status } = explained.value
    const stress = yield* session.call(plain(given.test), (api) => api.listStressRuns({ params: one, ...both }))
    if (health_status === null) {
      const unmerged = { ...asObject(explained.body), ...asObject(stress.body) }
      return yield* Session.print(given, unmerged, (terminal) =>
        [unmergedOf(terminal, explained.value, session, one), ...StressText.linesOf(stress.value)].join("\n")
      )
    }
    const details = yield* session.call(plain(given.test), (api) => api.getTest({ params: one, ...both }))
    const failures = yield* session.call(plain(given.test), (api) => api.listTestFailures({ params: one, ...both }))
    const query = { test_id: one.test_id }
    const issues = yield* session.call(plain(given.test), (api) => api.listIssues({ params, query, ...both }))
    const change = yield* session.call(plain(given.test), (api) => api.getTestChange({ params: one, ...both }))
    const runs = yield* runsOf(session, one)
    const [issue = null] = issues.value.issues
    const body = {
      ...asObject(details.body),
      ...asObject(failures.body),
      elsewhere,
      issue: issueOf(issues.body),
      change: change.body,
      ...asObject(stress.body)
    }
    return yield* Session.print(given, body, (terminal) =>
      detailsOf(terminal, details.value, {
        failures: failures.value.failures,
        runs,
        elsewhere: elsewhere.sentence,
        issue,
        change: change.value,
        stress: StressText.linesOf(stress.value),
        link: linkOf(session, one)
      })
    )
  })
).pipe(
  Command.withDescription("Show the figures of a test and its failures."),
  Command.withShortDescription("Show a test"),
  Command.withExamples([{ command: 'lazaret tests show "cart > pays with a card"', description: "Show a test" }])
)

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

/** The issue in a body of the list of issues, as the server wrote it; null without one. */
const issueOf = (body: unknown): unknown => {
  const list = asObject(body)
  return "issues" in list && Array.isArray(list.issues) ? (list.issues[0] ?? null) : null
}

const explain = Command.make(
  "explain",
  { ...Flags.ofRepository, limit: Flags.limit, test },
  Effect.fn("lazaret.tests.explain")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, test_id: yield* TestName.idOf(given.test) }
    const explained = yield* session
      .call(null, (api) => api.explainTest({ params: one, ...both }))
      .pipe(Effect.catch(unknown({ name, params, session }, given.test)))
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

const elsewhere = Command.make(
  "elsewhere",
  {
    ...Flags.ofRepository,
    limit: Flags.limit,
    words: Argument.String("word").pipe(
      Argument.withDescription("Parts of the name, in upper or lower case; without one, all of these tests"),
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

const remove = Command.make(
  "remove",
  {
    ...Flags.ofRepository,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Delete it: without this flag nothing is deleted"),
      Flag.withDefault(false)
    ),
    test
  },
  Effect.fn("lazaret.tests.remove")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const one = { ...params, test_id: yield* TestName.idOf(given.test) }
    // A test that has quarantines only is known by its name alone.
    const known = yield* session
      .call(null, (api) => api.explainTest({ params: one, ...both }))
      .pipe(
        Effect.map(({ value }) => value.test_name),
        Effect.catch((failure) =>
          failure.status === 404 ? Effect.as(existing({ name, params, session }), given.test) : failure
        )
      )
    if (!given.force) {
      return yield* CommandFailure.usage(
        `${plain(known)} would be deleted from ${name} with its executions, failures and quarantines, for good. Give --force to delete it.`
      )
    }
    yield* session
      .call(null, (api) => api.removeTest({ params: one, payload: { confirm: known }, ...both }))
      .pipe(Effect.catch(unknown({ name, params, session }, given.test)))
    yield* Session.print(given, { removed: known }, () => `${plain(known)} is deleted`)
  })
).pipe(
  Command.withDescription("Delete a test with all its data. This cannot be undone. A later report creates it again."),
  Command.withShortDescription("Delete a test"),
  Command.withExamples([
    { command: 'lazaret tests remove "cart > user 4711" --force', description: "Delete a test that ran by mistake" }
  ])
)

type OfRepository = Effect.Success<ReturnType<typeof Session.ofRepository>>

/** Fails when the repository of a command is unknown to the server. */
const existing = ({ params, session }: OfRepository) =>
  session
    .call(null, (api) => api.listTests({ params, query: { per_page: 1 }, ...both }))
    .pipe(
      Effect.asVoid,
      Effect.catch((failure) => (failure.status === 404 ? failure : Effect.void))
    )

/** Says what is unknown: the repository, or the test, which the server names by its id and a person by its name. */
const unknown = (of: OfRepository, wanted: string) => (failure: CommandFailure.CommandFailure) =>
  failure.status === 404
    ? Effect.andThen(
        existing(of),
        CommandFailure.refused(
          `${plain(wanted)}: No test of this name or id has run on the default branch of ${of.name}, or on another branch in the last 30 days. ` +
            "Find it with a part of its name: lazaret tests search PART",
          404
        )
      )
    : failure

/** Finds and explains tests. */
export const command = Command.make("tests").pipe(
  Command.withDescription("Find tests, and see which of them can be trusted and why."),
  Command.withShortDescription("Search, show and explain tests"),
  Command.withSubcommands([
    search,
    show,
    explain,
    elsewhere,
    remove,
    TestAliases.listed,
    TestAliases.alias,
    TestAliases.unalias,
    TestAliases.renames
  ])
)
