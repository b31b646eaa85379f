/** What `lazaret verify` and `lazaret repo refold` do. */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { CommandFailure } from "./CommandFailure.ts"
import * as ExitCode from "./ExitCode.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"

/** Computes a repository anew. */
export const refold = Effect.fn("lazaret.repo.refold")(function* (
  given: Session.Given & { readonly repo: Option.Option<Repository.RepositoryRef> }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const answer = yield* session.call({
    request: HttpClientRequest.post(`${Session.pathOf(ref)}/refold`),
    answer: Schema.Struct(Ref),
    subject: Session.nameOf(ref)
  })
  yield* Session.print(given, answer, () => `${Session.nameOf(answer)} is computed anew`)
})

/** Compares what is stored with what the executions say, in one repository or in all. */
export const verify = Effect.fn("lazaret.verify")(function* (
  given: Session.Given & { readonly repo: Option.Option<Repository.RepositoryRef> }
) {
  const session = yield* Session.open(given)
  const refs = Option.isSome(given.repo) ? [given.repo.value] : yield* all(session)
  const repositories = yield* Effect.forEach(refs, (ref) =>
    session.call({
      request: HttpClientRequest.post(`${Session.pathOf(ref)}/verify`),
      answer: Verification,
      subject: Session.nameOf(ref)
    })
  )
  yield* Session.print(given, { repositories }, () => textOf(repositories))
  const differing = repositories.filter(({ total }) => total > 0)
  if (differing.length > 0) return yield* different(differing)
})

const Ref = { owner: Schema.String, repository: Schema.String }

const Verification = Schema.Struct({
  ...Ref,
  differences: Schema.Array(Schema.Struct({ kind: Schema.String, place: Schema.String })),
  total: Schema.Int
})

type Verification = typeof Verification.Type

const Page = Schema.Struct({ repositories: Schema.Array(Schema.Struct(Ref)) })

/** Every repository that the key reaches. */
const all = (session: Session.Session) =>
  Effect.map(
    session.list({
      request: HttpClientRequest.get("/v1/repositories"),
      answer: Page,
      subject: null,
      rows: ({ repositories }) => repositories,
      most: Number.POSITIVE_INFINITY
    }),
    ({ rows }) => rows
  )

const textOf = (repositories: ReadonlyArray<Verification>): string =>
  repositories.length === 0 ? "There is no repository yet." : repositories.flatMap(linesOf).join("\n")

const linesOf = (found: Verification): ReadonlyArray<string> => {
  if (found.total === 0) return [`${Session.nameOf(found)}: as computed`]
  const rest = found.total - found.differences.length
  return [
    ...found.differences.map(({ kind, place }) => `${Session.nameOf(found)}: ${kind} of ${place} is not as computed`),
    ...(rest > 0 ? [`${Session.nameOf(found)}: and ${rest} more`] : [])
  ]
}

const different = (differing: ReadonlyArray<Verification>): CommandFailure => {
  const total = differing.reduce((sum, each) => sum + each.total, 0)
  const [first] = differing
  const name = first === undefined ? "" : Session.nameOf(first)
  return new CommandFailure({
    message:
      `${total === 1 ? "1 difference" : `${total} differences`} in ` +
      `${differing.length === 1 ? name : `${differing.length} repositories`}. Keep the log of the server for a report, ` +
      `then compute anew: lazaret repo refold --repo ${differing.length === 1 ? name : "…"}`,
    exitCode: ExitCode.different
  })
}
