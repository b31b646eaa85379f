/** The handler of the route of slower tests. */
import { Api, type Schemas } from "@lazaret/api"
import { type Slower, TestId } from "@lazaret/domain"
import { type SlowerFound, SlowerTests } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "slower",
  Effect.fnUntraced(function* (handlers) {
    const slower = yield* SlowerTests

    return handlers.handleAll({
      listSlower: ({ params, query: { per_page: perPage = 100 } }) =>
        slower.find(params).pipe(
          Effect.map((found) => pageOf(found, perPage)),
          ServiceErrors.toProblem
        )
    })
  })
)

const pageOf = (found: SlowerFound, perPage: number): typeof Schemas.SlowerPage.Type => {
  const lines = found.lines.slice(0, perPage).map(lineOf)
  return {
    size: lines.length,
    per_page: perPage,
    total: found.lines.length,
    computed_at: found.computedAt,
    days: found.days,
    tests: found.tests,
    sentence: sentenceOf(found),
    lines
  }
}

const sentenceOf = ({ days, lines, tests }: SlowerFound): string => {
  const compared = `${tests} ${tests === 1 ? "test was" : "tests were"} compared over ${days} days`
  if (lines.length === 0) return `nothing became slower; ${compared}`
  const minutes = Math.round(lines.reduce((sum, { addedPerWeekMs }) => sum + addedPerWeekMs, 0) / 60_000)
  const changes = lines.length === 1 ? "1 change adds" : `${lines.length} changes add`
  return `${changes} ${minutes} ${minutes === 1 ? "minute" : "minutes"} a week; ${compared}`
}

const lineOf = (line: Slower.Slower): typeof Schemas.SlowerLine.Type => ({
  kind: line.kind,
  test_id: line.testName === null ? null : TestId.of(line.testName),
  test_name: line.testName,
  pipeline_name: line.pipelineName,
  job_name: line.jobName,
  tests: line.tests,
  before_seconds: secondsOf(line.beforeMs),
  after_seconds: secondsOf(line.afterMs),
  started_at: line.at,
  last_commit: line.lastCommit,
  first_commit: line.firstCommit,
  confidence: line.confidence,
  executions_per_week: Math.round(10 * line.executionsPerWeek) / 10,
  added_seconds_per_week: Math.round(line.addedPerWeekMs / 1000),
  latest_seconds: line.latestMs.map(secondsOf)
})

const secondsOf = (ms: number): number => Math.round(ms) / 1000
