/**
 * The target of a run by hand, from settings.
 *
 * **Details**
 *
 * `LAZARET_CONFORMANCE_TOKEN` is a token of an account that may write contents, pull requests and commit statuses of the repository.
 * `LAZARET_CONFORMANCE_APP_ID` and `LAZARET_CONFORMANCE_APP_PRIVATE_KEY_FILE` are an app that is installed there. One of the two is
 * needed. `LAZARET_CONFORMANCE_API_URL` is the address of another GitHub.
 */
import { readFileSync } from "node:fs"
import { Redacted, Result } from "effect"
import { GitHubCredentials } from "../../src/index.ts"
import * as Scratch from "./Scratch.ts"

type Settings = Readonly<Record<string, string | undefined>>

type Credentials = GitHubCredentials.GitHubCredentials

const refuse = (message: string) => new Scratch.Refused({ message })

/** The target; a setting that is missing or wrong is a refusal. */
export const of = (name: string, settings: Settings): Result.Result<Scratch.Target, Scratch.Refused> => {
  const [owner = "", repository = "", ...others] = name.split("/")
  if (owner === "" || repository === "" || others.length > 0) return Result.fail(refuse(usage))
  const token = settings["LAZARET_CONFORMANCE_TOKEN"] ?? ""
  const people: Credentials | null = token === "" ? null : { _tag: "Token", token: Redacted.make(token) }
  return Result.flatMap(appOf(settings), (app) => {
    const adapter = app ?? people
    if (adapter === null) return Result.fail(refuse(usage))
    const apiUrl = settings["LAZARET_CONFORMANCE_API_URL"] ?? "https://api.github.com"
    return Result.succeed({ apiUrl, ref: { owner, repository }, adapter, people: people ?? adapter })
  })
}

const usage =
  "name a repository, OWNER/REPOSITORY, and set LAZARET_CONFORMANCE_TOKEN, or LAZARET_CONFORMANCE_APP_ID and " +
  "LAZARET_CONFORMANCE_APP_PRIVATE_KEY_FILE, or all three"

const appOf = (settings: Settings): Result.Result<Credentials | null, Scratch.Refused> => {
  const id = settings["LAZARET_CONFORMANCE_APP_ID"] ?? ""
  const file = settings["LAZARET_CONFORMANCE_APP_PRIVATE_KEY_FILE"] ?? ""
  if (id === "" && file === "") return Result.succeed(null)
  if (!/^\d+$/u.test(id)) return Result.fail(refuse(`LAZARET_CONFORMANCE_APP_ID: "${id}" is not the number of an app`))
  const wrong = (clause: string) => refuse(`LAZARET_CONFORMANCE_APP_PRIVATE_KEY_FILE: ${file}: ${clause}`)
  return Result.try({ try: () => readFileSync(file, "utf8"), catch: () => wrong("it cannot be read") }).pipe(
    Result.flatMap((pem) => Result.mapError(GitHubCredentials.privateKey(pem), wrong)),
    Result.map((privateKey) => ({ _tag: "App", appId: Number(id), privateKey }))
  )
}

/** The kinds of credentials, in words for a report. */
export const namesOf = ({ adapter, people }: Scratch.Target): string =>
  adapter._tag === people._tag ? wordOf(adapter) : `${wordOf(adapter)} and ${wordOf(people)}`

const wordOf = ({ _tag }: Credentials): string => (_tag === "App" ? "an app" : "a token")
