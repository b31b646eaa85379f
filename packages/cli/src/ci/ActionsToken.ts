/** The request for a token to GitHub Actions. */
import { Effect, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import * as CommandFailure from "../terminal/CommandFailure.ts"

/** The token for an audience, from the address and with the bearer that GitHub Actions gives the job. */
export const issue = ({
  audience,
  bearer,
  url
}: {
  readonly audience: string
  readonly bearer: string
  readonly url: string
}): Effect.Effect<Redacted.Redacted, CommandFailure.CommandFailure> =>
  HttpClientRequest.get(url, { acceptJson: true }).pipe(
    HttpClientRequest.setUrlParam("audience", audience),
    HttpClientRequest.bearerToken(bearer),
    (request) => Effect.flatMap(HttpClient.HttpClient, (client) => client.execute(request)),
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Issued)),
    Effect.map(({ value }) => Redacted.make(value)),
    Effect.timeout("10 seconds"),
    Effect.retry({ times: 2 }),
    // The cause may hold the token of the request.
    Effect.mapError(() => CommandFailure.unreachable(noToken)),
    Effect.provide(FetchHttpClient.layer)
  )

const Issued = Schema.Struct({ value: Schema.NonEmptyString })

const noToken = "GitHub Actions does not issue a token for this job. Run the job again, or set LAZARET_TOKEN."
