/** A simulated GitHub with one repository, and connections to it. */
import { SimulatedGitHub } from "@lazaret/forge-simulated"
import { Effect, Redacted } from "effect"
import { GitHub, type GitHubClient } from "../src/index.ts"

/** The repository of these tests. */
export const ref = { owner: "acme", repository: "widgets" }

/** A commit. */
export const sha = "0123456789abcdef0123456789abcdef01234567"

/** A started GitHub with the repository, where the app is installed. */
export const started = Effect.map(SimulatedGitHub.start, (github) => {
  const tokens = { writer: "write", reader: "read" } as const
  const repository = github.addRepository({ owner: "Acme", name: "Widgets", tokens })
  github.install("Acme")
  return { github, repository }
})

type Credentials = GitHubClient.Connection["credentials"]

/** The credentials of its app. */
export const asApp = ({ app: { id, privateKey } }: SimulatedGitHub.SimulatedGitHub): Credentials => ({
  _tag: "App",
  appId: id,
  privateKey: Redacted.make(privateKey)
})

/** The credentials of a person who may write. */
export const asWriter: Credentials = { _tag: "Token", token: Redacted.make("writer") }

/** The platform at a started GitHub; requests are not spaced, which takes seconds. */
export const layer = ({ url }: SimulatedGitHub.SimulatedGitHub, credentials: Credentials) =>
  GitHub.layer({ apiUrl: url, credentials, isPaced: false })
