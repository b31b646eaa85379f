/** Answers of GitHub's GraphQL, which have status 200 also where they say that a request failed. */
import type { Repository } from "@lazaret/domain"
import { ForgeError } from "@lazaret/services"
import { Clock, Effect, Schema } from "effect"
import { limitWords } from "./GitHubClient.ts"

const Failure = Schema.Struct({ type: Schema.optionalKey(Schema.NullOr(Schema.String)), message: Schema.String })

const Envelope = Schema.Struct({
  data: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(Schema.Array(Failure))
})

const isEnvelope = Schema.decodeUnknownEffect(Envelope)

const hasNoRepository = Schema.is(Schema.Struct({ repository: Schema.Null }))

/**
 * The data of an answer.
 *
 * **Details**
 *
 * Data next to errors is not whole, and counts for nothing: a field that is null may be one that GitHub did not reach. The one
 * exception are errors that something does not exist, where null says the same. A repository that does not exist is a refusal.
 */
export const decode = Effect.fnUntraced(function* <A>(
  operation: string,
  ref: Repository.RepositoryRef,
  answer: Schema.Codec<A, unknown>,
  body: unknown
) {
  const { owner, repository } = ref
  const failed = (reason: ForgeError["reason"], message: string, retryAt: number | null = null) =>
    new ForgeError({ operation, owner, repository, reason, retryAt, message: message.slice(0, 200) })
  const unreadable = () => failed("unavailable", "the answer has another form than GitHub describes")
  const { data, errors = [] } = yield* Effect.mapError(isEnvelope(body), unreadable)
  const error = errors.find(({ type }) => type !== "NOT_FOUND")
  if (error !== undefined) {
    const reason = reasonOf(error)
    const retryAt = reason === "rate_limited" ? (yield* Clock.currentTimeMillis) + 60_000 : null
    return yield* failed(reason, error.message, retryAt)
  }
  const [missing] = errors
  if (missing !== undefined && (data === undefined || data === null || hasNoRepository(data))) {
    return yield* failed("refused", missing.message)
  }
  return yield* Effect.mapError(Schema.decodeUnknownEffect(answer)(data), unreadable)
})

/** The types of errors after which the same request fails again; GitHub has others, and errors without a type. */
const final: ReadonlySet<string> = new Set(["FORBIDDEN", "INSUFFICIENT_SCOPES", "UNPROCESSABLE", "STALE_DATA", "SAML"])

const reasonOf = ({ message, type }: typeof Failure.Type): ForgeError["reason"] => {
  if (type === "RATE_LIMITED" || limitWords.test(message)) return "rate_limited"
  return final.has(type ?? "") ? "refused" : "unavailable"
}
