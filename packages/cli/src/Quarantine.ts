/** What `lazaret quarantine` does. */
import { type Repository, TestId } from "@lazaret/domain"
import { Console, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import * as Table from "./Table.ts"
import { plain } from "./Terminal.ts"

export { check } from "./QuarantineCheck.ts"

/** What was given to every one of the commands. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly branch: Option.Option<string>
}

/** A quarantine as the server shows it; what else it says is kept. */
const Quarantined = open({
  id: Schema.String,
  test_name: Schema.String,
  reason: Schema.String,
  branch: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  source: Schema.optionalKey(Schema.String),
  is_recovered: Schema.Boolean
})

type Quarantined = typeof Quarantined.Type

const Page = Schema.Struct({ quarantined_tests: Schema.Array(Quarantined) })

const Created = Schema.Struct({ id: Schema.String })

const pathOf = (ref: Repository.RepositoryRef): string => `${Session.pathOf(ref)}/quarantines`

/** Quarantines a test. The same quarantine, with the same reason, is there already when a command is run again. */
export const add = Effect.fn("lazaret.quarantine.add")(function* (
  given: Given & { readonly test: string; readonly reason: string }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const branch = Option.getOrNull(given.branch)
  const body = { test_name: given.test, reason: given.reason, branch }
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(pathOf(ref)), body)
  const created = yield* session.call({ request, answer: Created, subject: Session.nameOf(ref) }).pipe(
    Effect.catchIf(
      ({ status }) => status === 409,
      (conflict) =>
        Effect.flatMap(ofTest(session, ref, given.test), (all) => {
          const same = all.find((each) => each.branch === branch && each.reason === given.reason)
          return same === undefined ? Effect.fail(conflict) : Effect.succeed({ id: same.id })
        })
    )
  )
  const { id } = created
  const isKnown = yield* hasRun(session, ref, given.test)
  if (!isKnown) yield* Console.error(`warning: ${plain(given.test)} has not run on the default branch: check its name.`)
  yield* Session.print(given, { id }, () => `quarantined ${where(branch)}: ${plain(given.test)} (${id})`)
})

/** Lists quarantined tests. */
export const list = Effect.fn("lazaret.quarantine.list")(function* (
  given: Given & { readonly source: Option.Option<string>; readonly recovered: boolean }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const all = yield* pages(session, ref, {
    ...Option.match(given.branch, { onNone: () => ({}), onSome: (branch) => ({ branch }) }),
    ...Option.match(given.source, { onNone: () => ({}), onSome: (source) => ({ source }) })
  })
  const rows = given.recovered ? all.filter((row) => row.is_recovered) : all
  const answer = { size: rows.length, per_page: null, quarantined_tests: rows }
  yield* Session.print(given, answer, (terminal) =>
    rows.length === 0 ? "no test is quarantined" : Table.make(terminal, columns, rows)
  )
})

/** Ends a quarantine, named by its id or its test. */
export const remove = Effect.fn("lazaret.quarantine.remove")(function* (given: Given & { readonly test: string }) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const id = isId(given.test) ? given.test : yield* idOf(session, ref, given)
  const request = HttpClientRequest.delete(`${pathOf(ref)}/${id}`)
  yield* session.call({ request, answer: Schema.Null, subject: Session.nameOf(ref), repeat: "removal" })
  yield* Session.print(given, { id }, () => `not quarantined any more: ${plain(given.test)}`)
})

/** A quarantine may come before the first run, but more often its test is spelled wrongly. */
const hasRun = (session: Session.Session, ref: Repository.RepositoryRef, test: string) =>
  session
    .call({
      request: HttpClientRequest.get(`${Session.pathOf(ref)}/tests/${TestId.of(test)}`),
      answer: Schema.Unknown,
      subject: null
    })
    .pipe(
      Effect.as(true),
      Effect.catch(({ status }) => Effect.succeed(status !== 404))
    )

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const idOf = Effect.fnUntraced(function* (
  session: Session.Session,
  ref: Repository.RepositoryRef,
  given: Given & { readonly test: string }
) {
  const branch = Option.getOrNull(given.branch)
  const all = yield* ofTest(session, ref, given.test)
  const found = all.find((each) => each.branch === branch)
  if (found !== undefined) return found.id
  const others = all.map((each) => each.branch).filter((each) => each !== null)
  const hint = others.length === 0 ? "" : ` It is on: give --branch ${others.map(plain).join(" or --branch ")}.`
  return yield* CommandFailure.refused(`${plain(given.test)} is not quarantined ${where(branch)}.${hint}`)
})

/** The quarantines of a test. A list of all of them holds them too, and needs no id of the test. */
const ofTest = (session: Session.Session, ref: Repository.RepositoryRef, test: string) =>
  Effect.map(pages(session, ref, {}), (all) => all.filter((each) => each.test_name === test))

const pages = (
  session: Session.Session,
  ref: Repository.RepositoryRef,
  parameters: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<Quarantined>, CommandFailure.CommandFailure> =>
  Effect.map(
    session.list({
      request: HttpClientRequest.get(pathOf(ref), { urlParams: parameters }),
      answer: Page,
      subject: Session.nameOf(ref),
      rows: ({ quarantined_tests }) => quarantined_tests,
      most: Number.POSITIVE_INFINITY
    }),
    ({ rows }) => rows
  )

const where = (branch: string | null): string => (branch === null ? "on every branch" : `on ${plain(branch)}`)

const columns: ReadonlyArray<Table.Column<Quarantined>> = [
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "branch", cell: ({ branch }) => branch ?? "every branch" },
  { heading: "since", cell: ({ created_at }) => created_at.slice(0, 10) },
  { heading: "by", cell: ({ source }) => source ?? "" },
  {
    heading: "recovered",
    cell: ({ is_recovered }) => (is_recovered ? "yes" : "no"),
    colour: ({ is_recovered }) => (is_recovered ? "green" : null)
  },
  { heading: "reason", cell: ({ reason }) => reason, canShrink: true },
  { heading: "id", cell: ({ id }) => id }
]
