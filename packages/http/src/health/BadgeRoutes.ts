/** The badges that everyone may see: pictures for readmes and pages of other hosts (docs/how-to/badges.md). */
import { hash } from "node:crypto"
import { Repository, TestId } from "@lazaret/domain"
import { BadgeNotFound, Badges } from "@lazaret/services"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as Assets from "../response/Assets.ts"
import * as BadgeImage from "./BadgeImage.ts"
import * as Pages from "../response/Pages.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/**
 * The routes, which ask for no credential.
 *
 * **Details**
 *
 * An unknown, a hidden and an invalid name are the same 404. Caches keep a picture for five minutes; then its `ETag` says
 * whether it has changed.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const badges = yield* Badges

    const ofRepository = Effect.fnUntraced(function* () {
      const { file, owner } = (yield* HttpRouter.RouteContext).params
      const ref = repositoryOf({ owner, repository: withoutExtension(file) })
      if (Option.isNone(ref)) return yield* new BadgeNotFound()
      return BadgeImage.ofRepository(yield* badges.repository(ref.value))
    })

    const ofTest = Effect.fnUntraced(function* () {
      const { file, owner, repository } = (yield* HttpRouter.RouteContext).params
      const ref = repositoryOf({ owner, repository })
      const testId = testIdOf(withoutExtension(file))
      if (Option.isNone(ref) || Option.isNone(testId)) return yield* new BadgeNotFound()
      return BadgeImage.ofTest(yield* badges.test(ref.value, testId.value))
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", Pages.paths.repositoryBadge, answered(ofRepository())),
      HttpRouter.add("GET", Pages.paths.testBadge, answered(ofTest()))
    )
  })
)

const repositoryOf = Schema.decodeUnknownOption(
  Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName })
)

const testIdOf = Schema.decodeUnknownOption(TestId.TestId)

const withoutExtension = (file: string | undefined): string | undefined =>
  file?.endsWith(".svg") === true ? file.slice(0, -".svg".length) : undefined

/** An image, or the problem that prevents it. */
const answered = <E extends ServiceErrors.ServiceError, R>(badge: Effect.Effect<BadgeImage.Badge, E, R>) =>
  ServiceErrors.toProblem(badge).pipe(
    Effect.zipWith(HttpServerRequest.HttpServerRequest, drawn),
    Effect.catch((problem) => Effect.orDie(HttpServerRespondable.toResponse(problem)))
  )

const drawn = (badge: BadgeImage.Badge, request: HttpServerRequest.HttpServerRequest) => {
  const svg = BadgeImage.toSvg(badge)
  const etag = `"${hash("sha256", svg, "base64url").slice(0, 22)}"`
  const headers = { ...protections, etag, "cache-control": "public, max-age=300" }
  return Assets.isKnown(request, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(svg, { contentType: "image/svg+xml; charset=utf-8", headers })
}

/** A picture that is opened by itself loads and runs nothing; pages of other hosts may show it. */
const protections = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin"
}
