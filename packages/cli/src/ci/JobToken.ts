/** The token that a CI system issues for a job: it uploads reports without a key. */
import { Effect, Option, Redacted } from "effect"
import * as Environment from "../terminal/Environment.ts"
import { load } from "../terminal/MissingPackage.ts"

/**
 * The token of this job for a server; none where the CI system offers none.
 *
 * **Details**
 *
 * - `LAZARET_ID_TOKEN` holds the one that a GitLab job declares.
 * - GitHub Actions issues one on request to jobs with the permission `id-token: write`. Its audience is the address of the server.
 */
export const current = Effect.fnUntraced(function* (audience: string) {
  const declared = yield* Environment.variable("LAZARET_ID_TOKEN")
  if (declared !== null) return Option.some(Redacted.make(declared.trim()))
  const url = yield* Environment.variable("ACTIONS_ID_TOKEN_REQUEST_URL")
  const bearer = yield* Environment.variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
  if (url === null || bearer === null) return Option.none<Redacted.Redacted>()
  // The HTTP client is loaded here only, like that of the server.
  const { issue } = yield* load(() => import("./ActionsToken.ts"))
  return Option.some(yield* issue({ url, bearer, audience }))
})
