/** What `lazaret tests` does. */
import { type Repository, TestId } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { HttpClientRequest } from "effect/http"
import * as CommandFailure from "./CommandFailure.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import { plain } from "./Terminal.ts"
import * as Answer from "./TestsAnswer.ts"
import * as Text from "./TestsText.ts"

/** What was given to every one of the commands. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

/** What was given to a search. */
export interface SearchGiven extends Given {
  readonly names: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  readonly pipeline: ReadonlyArray<string>
  readonly job: ReadonlyArray<string>
  readonly health: ReadonlyArray<string>
  readonly confidence: ReadonlyArray<string>
  readonly impact: ReadonlyArray<string>
  readonly sort: Option.Option<string>
  readonly direction: Option.Option<string>
  readonly limit: number
}

/** Searches tests. */
export const search = Effect.fn("lazaret.tests.search")(function* (given: SearchGiven) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const urlParams = {
    test_name: given.names,
    test_name_exclude: given.exclude,
    pipeline_name: given.pipeline,
    job_name: given.job,
    health_status: given.health,
    health_confidence: given.confidence,
    failed_executions_impact: given.impact,
    sort: Option.toArray(given.sort),
    direction: Option.toArray(given.direction)
  }
  const { first, rows } = yield* session.list({
    request: HttpClientRequest.get(`${Session.pathOf(ref)}/search/tests`, { urlParams }),
    answer: Answer.Found,
    subject: Session.nameOf(ref),
    rows: ({ tests }) => tests,
    most: given.limit
  })
  const answer = { size: rows.length, per_page: given.limit, tests: rows, total: first.total }
  yield* Session.print(given, answer, (terminal) => Text.found(terminal, rows, first.total))
})

/** Shows a test. */
export const show = Effect.fn("lazaret.tests.show")(function* (given: Given & { readonly test: string }) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const path = pathOf(ref, given.test)
  const details = yield* session
    .call({
      request: HttpClientRequest.get(path),
      answer: Answer.Details,
      subject: given.test
    })
    .pipe(Effect.mapError(ofName(ref, given.test)))
  const { failures } = yield* session.call({
    request: HttpClientRequest.get(`${path}/failures`),
    answer: Answer.Failures,
    subject: given.test
  })
  yield* Session.print(given, { ...details, failures }, (terminal) => Text.details(terminal, details, failures))
})

/** Says why a test has its health. */
export const explain = Effect.fn("lazaret.tests.explain")(function* (
  given: Given & { readonly test: string; readonly limit: number }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const explained = yield* session
    .call({
      request: HttpClientRequest.get(`${pathOf(ref, given.test)}/explain`),
      answer: Answer.Explained,
      subject: given.test
    })
    .pipe(Effect.mapError(ofName(ref, given.test)))
  yield* Session.print(given, explained, (terminal) => Text.explained(terminal, explained, given.limit))
})

/** Who gave a name is not told of an id. */
const ofName = (ref: Repository.RepositoryRef, test: string) => (failure: CommandFailure.CommandFailure) =>
  failure.status === 404 && failure.message.includes("test_id")
    ? CommandFailure.refused(
        `${plain(test)}: No test of this name or id has run on the default branch of ${Session.nameOf(ref)}. ` +
          'Find it with a part of its name: lazaret tests search "*part*"',
        404
      )
    : failure

/** The id of a test follows from its name. */
const pathOf = (ref: Repository.RepositoryRef, test: string): string =>
  `${Session.pathOf(ref)}/tests/${/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(test) ? test : TestId.of(test)}`
