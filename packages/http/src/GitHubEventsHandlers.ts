/** The handler of GitHub's deliveries: signature, body, meaning, use case, in this order. */
import { isUtf8 } from "node:buffer"
import { Api, Problem } from "@lazaret/api"
import { GitHubWebhook } from "@lazaret/ingest"
import { GitHubEvents } from "@lazaret/services"
import { Effect, Option, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as GitHubSignature from "./GitHubSignature.ts"
import { HttpConfig } from "./HttpConfig.ts"
import * as ServiceErrors from "./ServiceErrors.ts"
import * as GitHubEvent from "./wire/GitHubEvent.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "gitHubEvents",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* GitHubEvents
    const { gitHubWebhookSecret } = yield* HttpConfig
    const secret = Option.filter(gitHubWebhookSecret, (each) => Redacted.value(each) !== "")

    const receive = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (Option.isNone(secret)) return yield* off
      const body = yield* signedBody(request, secret.value)
      const event = request.headers["x-github-event"]
      if (event === undefined) return yield* nameless
      const reading = GitHubWebhook.read(event, yield* payloadOf(request, body))
      if (Result.isSuccess(reading)) {
        return GitHubEvent.acceptedOf(yield* ServiceErrors.toProblem(events.receive(reading.success)))
      }
      return yield* refused(reading.failure)
    })

    return handlers.handleRaw(
      "receiveGitHubEvent",
      ({ request }) =>
        receive(request).pipe(Effect.annotateLogs({ delivery: request.headers["x-github-delivery"] ?? "" })),
      { uninterruptible: true }
    )
  })
)

const off = new Problem.NotFound({
  detail: "This server takes no deliveries of GitHub: set LAZARET_GITHUB_WEBHOOK_SECRET to the secret of the webhook."
})

const unsigned = new Problem.Forbidden({
  detail: "Send the header `X-Hub-Signature-256` with the signature of the body under the secret of this server."
})

const nameless = Problem.unprocessable([{ location: "header.x-github-event", message: "is required" }])

/** A body that cannot be read to its end, or is too large, is answered like that of any other route. */
const signedBody = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  secret: Redacted.Redacted
) {
  const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
  if (!GitHubSignature.signs(request.headers["x-hub-signature-256"], secret, body)) return yield* unsigned
  return body
})

const unknownType = new Problem.UnsupportedMediaType({
  detail: "Choose `application/json` or `application/x-www-form-urlencoded` as the content type of the webhook."
})

const payloadOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, body: Uint8Array) {
  const type = (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/json" && type !== "application/x-www-form-urlencoded") return yield* unknownType
  if (!isUtf8(body)) return yield* Problem.unprocessable([{ location: "body", message: "must be UTF-8" }])
  const text = new TextDecoder().decode(body)
  const json = type === "application/json" ? text : (new URLSearchParams(text).get("payload") ?? "")
  return yield* Effect.try({
    try: (): unknown => JSON.parse(json),
    catch: () => Problem.unprocessable([{ location: "body", message: "must be valid JSON" }])
  })
})

const refused = (refusal: GitHubWebhook.Unusable) =>
  refusal.kind === "ignored"
    ? Effect.succeed(GitHubEvent.ignoredFor(refusal.reason))
    : Effect.fail(
        Problem.unprocessable(
          refusal.faults.map(({ message, path }) => ({ location: path === "" ? "body" : `body.${path}`, message }))
        )
      )
