/**
 * What `lazaret verify` and `lazaret repo refold` do.
 *
 * @since 0.1.0
 */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Caller from "./Caller.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as ExitCode from "./ExitCode.ts"

/**
 * Computes a repository anew.
 *
 * @category operations
 * @since 0.1.0
 */
export const refold = Effect.fn("lazaret.repo.refold")(function* (
  given: Caller.Given & { readonly repo: Repository.RepositoryRef }
) {
  const ask = yield* Caller.connect(given)
  const answer = yield* ask({
    request: HttpClientRequest.post(pathOf(given.repo, "refold")),
    answer: Schema.Struct(Ref),
    subject: nameOf(given.repo)
  })
  yield* Caller.print(given, answer, `${nameOf(answer)} is computed anew`)
})

/**
 * Compares what is stored with what the executions say, in one repository or in all.
 *
 * @category operations
 * @since 0.1.0
 */
export const verify = Effect.fn("lazaret.verify")(function* (
  given: Caller.Given & { readonly repo: Option.Option<Repository.RepositoryRef> }
) {
  const ask = yield* Caller.connect(given)
  const refs = Option.isSome(given.repo) ? [given.repo.value] : yield* all(ask)
  const repositories = yield* Effect.forEach(refs, (ref) =>
    ask({
      request: HttpClientRequest.post(pathOf(ref, "verify")),
      answer: Verification,
      subject: nameOf(ref)
    })
  )
  yield* Caller.print(given, { repositories }, textOf(repositories))
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

const pathOf = ({ owner, repository }: Repository.RepositoryRef, operation: string): string =>
  `/v1/ci/${owner}/repositories/${repository}/${operation}`

const nameOf = ({ owner, repository }: Repository.RepositoryRef): string => `${owner}/${repository}`

const Page = Schema.Struct({ repositories: Schema.Array(Schema.Struct(Ref)) })

/** Every repository that the key reaches. */
const all = Effect.fnUntraced(function* (ask: Caller.Ask) {
  const refs: Array<Repository.RepositoryRef> = []
  let next: string | null = "/v1/repositories?per_page=100"
  while (next !== null) {
    let link = ""
    const page: typeof Page.Type = yield* ask({
      request: HttpClientRequest.get(next),
      answer: Page,
      subject: null,
      onHeaders: (headers) => (link = headers["link"] ?? "")
    })
    refs.push(...page.repositories)
    const target = /<([^>]+)>; *rel="?next\b/.exec(link)?.[1]
    const url: URL | null = target === undefined ? null : URL.parse(target, "http://server")
    next = url === null ? null : url.pathname + url.search
  }
  return refs
})

const textOf = (repositories: ReadonlyArray<Verification>): string =>
  repositories.length === 0 ? "There is no repository yet." : repositories.flatMap(linesOf).join("\n")

const linesOf = (found: Verification): ReadonlyArray<string> => {
  if (found.total === 0) return [`${nameOf(found)}: as computed`]
  const rest = found.total - found.differences.length
  return [
    ...found.differences.map(({ kind, place }) => `${nameOf(found)}: ${kind} of ${place} is not as computed`),
    ...(rest > 0 ? [`${nameOf(found)}: and ${rest} more`] : [])
  ]
}

const different = (differing: ReadonlyArray<Verification>): CommandFailure => {
  const total = differing.reduce((sum, each) => sum + each.total, 0)
  const [first] = differing
  const name = first === undefined ? "" : nameOf(first)
  return new CommandFailure({
    message:
      `${total === 1 ? "1 difference" : `${total} differences`} in ` +
      `${differing.length === 1 ? name : `${differing.length} repositories`}. Keep the log of the server for a report, ` +
      `then compute anew: lazaret repo refold --repo ${differing.length === 1 ? name : "…"}`,
    exitCode: ExitCode.different
  })
}
