/** The warning about test names that change with each run: compares a report with the tests that its job has. */
import { ChangingName, type Execution, Page, type Report, type Repository, TestFilter } from "@lazaret/domain"
import { Slices, TestStore } from "@lazaret/store"
import { Effect } from "effect"

/** How many masks of a report are looked for, and how many tests of them are read: a warning needs a few of them. */
const most = { masks: 20, tests: 500 }

/**
 * The warnings about names of a report that was recorded.
 *
 * **Details**
 *
 * Only a report that has names with ids, times, ports or addresses asks the store, with one page. The tests are those of the default
 * branch in the last 30 days. A failure of the store is logged: the report is recorded already.
 */
export const make = Effect.gen(function* () {
  const tests = yield* TestStore
  return Effect.fnUntraced(function* (
    ref: Repository.RepositoryRef,
    run: Report.RunContext,
    executions: ReadonlyArray<Pick<Execution.Execution, "testName">>,
    now: number
  ) {
    const masks = yield* masksOf(executions)
    if (masks.length === 0) return []
    const names = executions.map(({ testName }) => testName)
    const query = {
      filter: TestFilter.make({
        testName: { include: masks.map(patternOf) },
        pipelineName: { include: [run.pipelineName].filter(isPattern) },
        jobName: { include: [run.jobName].filter(isPattern) }
      }),
      sort: "executions_count",
      direction: "asc",
      from: Page.start,
      limit: most.tests,
      now
    } as const
    return yield* tests.page(ref, query).pipe(
      Effect.map(({ rows, total }) => warningsOf(ChangingName.changes(names, rows), total)),
      Effect.catch((error) => Effect.as(Effect.logWarning("Changing names were not looked for", error), []))
    )
  })
})

const masksOf = Effect.fnUntraced(function* (executions: ReadonlyArray<Pick<Execution.Execution, "testName">>) {
  const masks = new Set<string>()
  yield* Slices.visit(executions, 8192, ({ testName }) => {
    const mask = masks.size < most.masks ? ChangingName.mask(testName) : null
    if (mask !== null && isPattern(mask)) masks.add(mask)
  })
  return [...masks]
})

const isPattern = (text: string): boolean => text.length <= TestFilter.limits.characters

const patternOf = (mask: string): string => mask.replaceAll(ChangingName.placeholder, "*")

const warningsOf = (changes: ReadonlyArray<ChangingName.Change>, total: number): ReadonlyArray<string> => {
  const [first] = changes
  if (first === undefined) return []
  const count = changes.reduce((sum, { names }) => sum + names.length, 0)
  const [subject, verb] = count === 1 ? ["1 test has a name", "changes"] : [`${count} tests have names`, "change"]
  return [
    `${subject} that ${verb} with each run: \`${shortened(first.names[0] ?? "")}\` is \`${shortened(first.mask)}\` each time. ` +
      `${total} tests of this job are such names. Take ids, times, ports and addresses out of the titles: ` +
      `a test with a new name has no history, no quarantine and no owner of its failures.${adviceOn(first.mask)}`
  ]
}

/** The command that makes one test of the names, for a shell. */
const adviceOn = (mask: string): string =>
  mask.length > longestArgument
    ? ""
    : ` Where the titles must stay, make them one test: lazaret tests alias --mask '${mask.replaceAll("'", "'\\''")}'`

const longestArgument = 200

const shortened = (text: string): string => (text.length <= 100 ? text : `${text.slice(0, 99).toWellFormed()}…`)
