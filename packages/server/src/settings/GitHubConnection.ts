/** The connection to GitHub that the settings describe. */
import type { GitHubClient } from "@lazaret/forge-github"
import { Result } from "effect"
import type { Values } from "./Table.ts"

/** The connection: null without one, a sentence when the settings contradict each other. */
export const of = ({
  gitHubApiUrl,
  gitHubAppId,
  gitHubAppPrivateKey,
  gitHubToken
}: Pick<Values, Part>): Result.Result<GitHubClient.Connection | null, string> => {
  const apiUrl = gitHubApiUrl ?? "https://api.github.com"
  if (gitHubAppId !== null && gitHubAppPrivateKey !== null && gitHubToken === null) {
    const credentials = { _tag: "App", appId: gitHubAppId, privateKey: gitHubAppPrivateKey } as const
    return Result.succeed({ apiUrl, credentials, isPaced: true })
  }
  if (gitHubAppId !== null && gitHubAppPrivateKey !== null) return Result.fail(both)
  if (gitHubAppId !== null) return Result.fail(keyless)
  if (gitHubAppPrivateKey !== null) return Result.fail(nameless)
  if (gitHubToken !== null) {
    return Result.succeed({ apiUrl, credentials: { _tag: "Token", token: gitHubToken }, isPaced: true })
  }
  return Result.succeed(gitHubApiUrl === null ? null : { apiUrl, credentials: { _tag: "None" }, isPaced: true })
}

/** The settings that a connection is made from. */
export type Part = "gitHubApiUrl" | "gitHubAppId" | "gitHubAppPrivateKey" | "gitHubToken"

const both = "LAZARET_GITHUB_TOKEN and LAZARET_GITHUB_APP_ID are both set: remove the token, the app can do more."

const keyless =
  "LAZARET_GITHUB_APP_ID is set without a key: " +
  "name the .pem file of the app with LAZARET_GITHUB_APP_PRIVATE_KEY_FILE."

const nameless = "LAZARET_GITHUB_APP_PRIVATE_KEY is set without LAZARET_GITHUB_APP_ID: set the number of the app, too."
