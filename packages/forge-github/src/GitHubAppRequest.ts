/** Requests of the app itself, which it proves with its key. */
import { createAppAuth } from "@octokit/auth-app"
import type { Octokit } from "@octokit/core"
import { Redacted } from "effect"
import * as GitHubClient from "./GitHubClient.ts"
import type { GitHubCredentials } from "./GitHubCredentials.ts"

/** The credentials of an app. */
export type App = Extract<GitHubCredentials, { readonly _tag: "App" }>

/** Sends a request with the proof of an app. */
export const send = <A>(
  apiUrl: string,
  { appId, privateKey }: App,
  request: (octokit: Octokit, headers: { readonly authorization: string }) => Promise<A>
): Promise<A> =>
  createAppAuth({ appId, privateKey: Redacted.value(privateKey) })({ type: "app" }).then(({ token }) =>
    request(GitHubClient.bare(apiUrl), { authorization: `bearer ${token}` })
  )
