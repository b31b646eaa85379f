/** The handler of GitLab's deliveries: secret, body, meaning, use case, in this order. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Api, Problem } from "@lazaret/api"
import { GitLabWebhook } from "@lazaret/ingest"
import { PlatformEvents } from "@lazaret/services"
import { Effect, Option, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { BodyBudget } from "../request/BodyBudget.ts"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as RateLimit from "../request/RateLimit.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as SignedBody from "./SignedBody.ts"
import * as PlatformEvent from "./PlatformEvent.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "gitLabEvents",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* PlatformEvents
    const { gitLab } = yield* HttpConfig
    const { deliveries } = yield* BodyBudget

    const receive = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (Option.isNone(gitLab)) return yield* off
      const { refOf, webhookSecret } = gitLab.value
      if (!isSecret(request.headers["x-gitlab-token"], webhookSecret)) return yield* foreign
      if (!/^application\/json\b/iu.test(request.headers["content-type"] ?? "application/json"))
        return yield* unknownType
      const reservation = deliveries.open(RateLimit.addressOf(request))
      // Stop reading when the client disconnects or times out; discard the partial body.
      const body = yield* Effect.interruptible(SignedBody.read(request, known, reservation)).pipe(
        Effect.ensuring(reservation.release)
      )
      const reading = GitLabWebhook.read(yield* Effect.flatMap(SignedBody.textOf(body), SignedBody.jsonOf), refOf)
      if (Result.isFailure(reading)) return yield* PlatformEvent.refused(reading.failure)
      const { asked, ...facts } = reading.success
      // GitLab repeats a delivery under the same key, where it has one.
      const delivery = request.headers["idempotency-key"] ?? request.headers["x-gitlab-event-uuid"] ?? ""
      const isNamed = asked?.how._tag === "Comment" || /^[\w-]{1,100}$/u.test(delivery)
      const action =
        asked === undefined || !isNamed ? {} : { asked: { ...asked, source: PlatformEvent.sourceOf(asked, delivery) } }
      const received = events.receive({ ...facts, ...action, event: eventOf(request), press: null })
      return PlatformEvent.acceptedOf(yield* ServiceErrors.toProblem(received))
    })

    return handlers.handleRaw(
      "receiveGitLabEvent",
      ({ request }) =>
        receive(request).pipe(Effect.annotateLogs({ delivery: request.headers["x-gitlab-event-uuid"] ?? "" })),
      { uninterruptible: true }
    )
  })
)

/** GitLab names an event as `Merge Request Hook`. */
const eventOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  (headers["x-gitlab-event"] ?? "unnamed").slice(0, 100)

/** Whether a header holds the secret. The time it takes says nothing about how much of it is right. */
const isSecret = (header: string | undefined, secret: Redacted.Redacted): boolean =>
  timingSafeEqual(digest(header ?? ""), digest(Redacted.value(secret)))

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The sender has proven itself before the body. */
const known = { update: () => {}, isRight: () => true }

const off = new Problem.NotFound({
  detail:
    "This server accepts no deliveries of GitLab: set LAZARET_GITLAB_WEBHOOK_SECRET to the secret token of the webhook, and " +
    "LAZARET_GITLAB_URL to the address of GitLab."
})

const foreign = new Problem.Forbidden({
  detail: "Send the header `X-Gitlab-Token` with the secret token of this server (LAZARET_GITLAB_WEBHOOK_SECRET)."
})

const unknownType = new Problem.UnsupportedMediaType({ detail: "Send the delivery as `application/json`." })
