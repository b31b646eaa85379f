/**
 * The handlers of the routes that read tests: one use case each.
 *
 * @since 0.1.0
 */
import { type Listing, Tests } from "@lazaret/services"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "./Api.ts"
import { HttpConfig } from "./HttpConfig.ts"
import * as Links from "./Links.ts"
import * as Problem from "./Problem.ts"
import * as TestDetails from "./wire/TestDetails.ts"
import * as TestSearch from "./wire/TestSearch.ts"
import * as Transitions from "./wire/Transitions.ts"

/**
 * The handlers over the service.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpApiBuilder.group(
  Api,
  "tests",
  Effect.fnUntraced(function* (handlers) {
    const tests = yield* Tests
    const { publicUrl } = yield* HttpConfig

    const paged = <A, B>(request: HttpServerRequest.HttpServerRequest, body: (listing: Listing.Listing<A>) => B) =>
      Effect.map((listing: Listing.Listing<A>) =>
        HttpApiSchema.withHeaders({ body: body(listing), headers: Links.header(listing.links, request, publicUrl) })
      )

    return handlers.handleAll({
      searchTests: ({ params, query, request }) => {
        const search = TestSearch.requestOf(query)
        return tests.search(params, search).pipe(
          paged(request, (listing) => TestSearch.pageOf(listing, search.perPage)),
          Problem.fromService
        )
      },
      getTest: ({ params }) =>
        tests.details(params, params.test_id).pipe(Effect.map(TestDetails.of), Problem.fromService),
      getHealthTransitions: ({ params, query }) =>
        tests.transitions(params, params.test_id, query).pipe(Effect.map(Transitions.of), Problem.fromService)
    })
  })
)
