/** The handler of GitHub's deliveries: signature, body, meaning, use case, in this order. */
import { Api, Problem } from "@lazaret/api"
import { GitHubWebhook } from "@lazaret/ingest"
import { PlatformEvents } from "@lazaret/services"
import { Effect, Option, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { BodyBudget } from "../request/BodyBudget.ts"
import * as GitHubSignature from "./GitHubSignature.ts"
import { HttpConfig } from "../request/HttpConfig.ts"
import type * as InFlight from "../request/InFlight.ts"
import * as RateLimit from "../request/RateLimit.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as SignedBody from "./SignedBody.ts"
import * as PlatformEvent from "./PlatformEvent.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "gitHubEvents",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* PlatformEvents
    const { createdGitHubApp, gitHubAppId, gitHubWebhookSecret } = yield* HttpConfig
    const { deliveries } = yield* BodyBudget
    const set = {
      secret: Option.filter(gitHubWebhookSecret, (each) => Redacted.value(each) !== ""),
      appId: gitHubAppId
    }

    /** A webhook of a repository has a secret of its own. */
    const expectedOf = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(createdGitHubApp, (created) =>
        Option.isSome(created) && isOfApp(request)
          ? { secret: Option.some(created.value.webhookSecret), appId: Option.some(created.value.id) }
          : set
      )

    /** The event is about an account, not about a repository. */
    const ofInstallation = Effect.fnUntraced(function* (payload: unknown) {
      const reading = GitHubWebhook.readInstallation(payload)
      if (Result.isFailure(reading)) return yield* PlatformEvent.refused(reading.failure)
      const count = yield* ServiceErrors.toProblem(events.installationChanged(reading.success))
      return PlatformEvent.installationOf(reading.success.name, count)
    })

    const receive = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { appId, secret } = yield* expectedOf(request)
      if (Option.isNone(secret)) return yield* off
      const check = GitHubSignature.check(request.headers["x-hub-signature-256"], secret.value)
      if (Option.isNone(check)) return yield* SignedBody.unsigned
      const reservation = deliveries.open(RateLimit.addressOf(request))
      return yield* Effect.ensuring(signed(request, { check: check.value, appId }, reservation), reservation.release)
    })

    const signed = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      { appId, check }: { readonly check: GitHubSignature.Check; readonly appId: Option.Option<number> },
      reservation: InFlight.Reservation
    ) {
      // Stop reading when the client disconnects or times out; discard the partial body.
      const body = yield* Effect.interruptible(SignedBody.read(request, check, reservation))
      if (isOfOtherApp(request, appId)) return yield* otherApp
      const event = request.headers["x-github-event"]
      if (event === undefined) return yield* nameless
      const payload = yield* payloadOf(request, body)
      if (event === "installation") return yield* ofInstallation(payload)
      const reading = GitHubWebhook.read(event, payload)
      if (Result.isSuccess(reading)) {
        const { asked, press, ...facts } = reading.success
        const delivery = request.headers["x-github-delivery"] ?? ""
        if ((press !== null || asked !== undefined) && !isDeliveryId(delivery)) return yield* unidentified
        const pressed = press === null ? null : { ...press, delivery }
        const action =
          asked === undefined ? {} : { asked: { ...asked, source: PlatformEvent.sourceOf(asked, delivery) } }
        const received = events.receive({ ...facts, ...action, event, press: pressed })
        return PlatformEvent.acceptedOf(yield* ServiceErrors.toProblem(received))
      }
      return yield* PlatformEvent.refused(reading.failure)
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
  detail: "This server accepts no deliveries of GitHub: set LAZARET_GITHUB_WEBHOOK_SECRET to the secret of the webhook."
})

const otherApp = new Problem.Forbidden({
  detail: "This delivery is for another GitHub App than that of this server: set its webhook to the server of that app."
})

/** A webhook of a repository names no app. */
const isOfApp = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["x-github-hook-installation-target-type"] === "integration"

const isOfOtherApp = (request: HttpServerRequest.HttpServerRequest, appId: Option.Option<number>): boolean =>
  Option.isSome(appId) &&
  isOfApp(request) &&
  request.headers["x-github-hook-installation-target-id"] !== String(appId.value)

const unidentified = Problem.unprocessable([{ location: "header.x-github-delivery", message: "is required" }])

const isDeliveryId = (text: string): boolean => /^[\w-]{1,100}$/u.test(text)

const nameless = Problem.unprocessable([{ location: "header.x-github-event", message: "is required" }])

const unknownType = new Problem.UnsupportedMediaType({
  detail: "Choose `application/json` or `application/x-www-form-urlencoded` as the content type of the webhook."
})

const payloadOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, body: Uint8Array) {
  const type = (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/json" && type !== "application/x-www-form-urlencoded") return yield* unknownType
  const text = yield* SignedBody.textOf(body)
  const json = type === "application/json" ? text : (new URLSearchParams(text).get("payload") ?? "")
  return yield* SignedBody.jsonOf(json)
})
