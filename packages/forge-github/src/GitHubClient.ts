/** Requests to GitHub, as effects: with the credentials of the server, within its limits, and with typed failures. */
import type { Repository } from "@lazaret/domain"
import { ForgeError } from "@lazaret/services"
import { createAppAuth } from "@octokit/auth-app"
import { Octokit } from "@octokit/core"
import { retry } from "@octokit/plugin-retry"
import { throttling } from "@octokit/plugin-throttling"
import { RequestError } from "@octokit/request-error"
import { Cache, Clock, Duration, Effect, Exit, Redacted } from "effect"
import * as Budget from "./Budget.ts"
import * as Conditional from "./Conditional.ts"
import type { GitHubCredentials } from "./GitHubCredentials.ts"

/** A connection to GitHub: its address, who asks, and whether requests are spaced as GitHub recommends. */
export interface Connection {
  readonly apiUrl: string
  readonly credentials: GitHubCredentials
  readonly isPaced: boolean
}

/** One request, in the terms of the caller; `signal` ends it. */
export interface Send<A> {
  (octokit: Octokit, request: RequestOptions): Promise<A>
}

/** The options that every request passes on. Writes that must not be repeated unread have no retries. */
export interface RequestOptions {
  readonly request: { readonly signal: AbortSignal; readonly retries?: number }
}

/**
 * Sends requests about repositories.
 *
 * **Details**
 *
 * - `ask` reads: it is repeated after failures of the platform, up to three times.
 * - `write` is not repeated after a failure, because it may have had its effect.
 * - `forget` drops the installation of a repository: the next request reads it again.
 * - `sweepAt`: the moment from which a read that no news asks for leaves most of the hourly limits to others (`Budget`).
 */
export interface GitHubClient {
  readonly ask: <A>(operation: string, ref: Repository.RepositoryRef, send: Send<A>) => Effect.Effect<A, ForgeError>
  readonly write: <A>(operation: string, ref: Repository.RepositoryRef, send: Send<A>) => Effect.Effect<A, ForgeError>
  readonly forget: (ref: Repository.RepositoryRef) => Effect.Effect<void>
  readonly sweepAt: (ref: Repository.RepositoryRef) => Effect.Effect<number>
}

/** The times and numbers of this adapter. */
export const limits = {
  /** A request with its repetitions. */
  timeout: Duration.seconds(60),
  /** The longest time that a request waits for the end of a limit; after a longer one its caller tries again. */
  longestWaitSeconds: 30,
  installations: { capacity: 10_000, timeToLive: Duration.minutes(30), afterFailure: Duration.minutes(1) }
}

const Kit = Octokit.plugin(retry, throttling)

/** A client without credentials or repetitions, for requests that bring their own token. */
export const bare = (apiUrl: string): Octokit => prepared(new Octokit({ baseUrl: apiUrl, userAgent, log: silent }))

const userAgent = "lazaret"

const none = (): void => {}

/** The plugins would write on the console. */
const silent = { debug: none, info: none, warn: none, error: none }

/** Names the version of the interface with every request. */
const prepared = <O extends Octokit>(octokit: O): O => {
  octokit.hook.before("request", (options) => {
    options.headers["x-github-api-version"] = "2022-11-28"
  })
  return octokit
}

/** A client with the credentials of the server. */
export const make = Effect.fnUntraced(function* (connection: Connection) {
  const answers = Conditional.make()
  const budgets = Budget.make()
  const kit = (id: string, auth: object) => {
    const octokit = prepared(new Kit({ ...auth, ...options(connection, id) }))
    Conditional.install(octokit, answers, id)
    Budget.install(octokit, budgets, id)
    return octokit
  }
  const octokitOf = yield* octokits(connection, kit)

  const once = <A>(operation: string, ref: Repository.RepositoryRef, send: Send<A>, retries: number | undefined) =>
    Effect.flatMap(octokitOf.get(ref), (octokit) =>
      Effect.tryPromise({
        try: (signal) => send(octokit, { request: { signal, ...(retries === undefined ? {} : { retries }) } }),
        catch: rejected
      }).pipe(Effect.catch(({ cause }) => failed(operation, ref, cause)))
    ).pipe(
      Effect.timeoutOrElse({
        duration: limits.timeout,
        orElse: () => Effect.fail(forgeError(operation, ref, { reason: "unavailable", message: "no answer in time" }))
      })
    )

  /** A token may be revoked before its time; the next one is not. */
  const sent = <A>(operation: string, ref: Repository.RepositoryRef, send: Send<A>, retries: number | undefined) =>
    Effect.catchIf(
      once(operation, ref, send, retries),
      ({ status }) => connection.credentials._tag === "App" && status === 401,
      () => Effect.andThen(octokitOf.drop(ref), once(operation, ref, send, retries))
    )

  return {
    ask: (operation, ref, send) => sent(operation, ref, send, undefined),
    write: (operation, ref, send) => sent(operation, ref, send, 0),
    forget: octokitOf.drop,
    sweepAt: (ref) =>
      Effect.zipWith(octokitOf.idOf(ref), Clock.currentTimeMillis, (id, now) => Budget.sweepAt(budgets, id, now)).pipe(
        Effect.catch(() => Effect.succeed(0))
      )
  } satisfies GitHubClient
})

const options = ({ apiUrl, isPaced }: Connection, id: string) => ({
  baseUrl: apiUrl,
  userAgent,
  log: silent,
  // The pauses before repetitions count in milliseconds.
  retry: { retryAfterBaseValue: isPaced ? 1000 : 1 },
  throttle: { enabled: isPaced, id, onRateLimit: isShort, onSecondaryRateLimit: isShort }
})

/** Whether a request waits for the end of a limit. */
const isShort = (seconds: number, _: unknown, __: unknown, count: number): boolean =>
  count < 1 && seconds <= limits.longestWaitSeconds

/** The error of a rejected request; octokit promises no type. */
interface Rejected {
  readonly cause: unknown
}

const rejected = (cause: unknown): Rejected => ({ cause })

/** Makes a client from an id, which distinguishes its limits from those of others, and its way to authenticate. */
type MakeKit = (id: string, auth: object) => Octokit

/** The client for each repository. */
interface Octokits {
  readonly get: (ref: Repository.RepositoryRef) => Effect.Effect<Octokit, ForgeError>
  readonly drop: (ref: Repository.RepositoryRef) => Effect.Effect<void>
  /** The id that distinguishes the limits of its client from those of others. */
  readonly idOf: (ref: Repository.RepositoryRef) => Effect.Effect<string, ForgeError>
}

const octokits = ({ apiUrl, credentials }: Connection, kit: MakeKit): Effect.Effect<Octokits> => {
  if (credentials._tag === "App") return ofInstallations(apiUrl, credentials, kit)
  const auth = credentials._tag === "Token" ? { auth: Redacted.value(credentials.token) } : {}
  const octokit = kit(credentials._tag, auth)
  const idOf = () => Effect.succeed(credentials._tag)
  return Effect.succeed({ get: () => Effect.succeed(octokit), drop: () => Effect.void, idOf })
}

/** An app has one client for each of its installations, so that each has its own token and limits. */
const ofInstallations = Effect.fnUntraced(function* (
  apiUrl: string,
  { appId, privateKey }: Extract<GitHubCredentials, { readonly _tag: "App" }>,
  kit: MakeKit
) {
  const auth = { appId, privateKey: Redacted.value(privateKey) }
  const app = kit("app", { authStrategy: createAppAuth, auth })
  const made = new Map<number, Octokit>()
  const { afterFailure, capacity, timeToLive } = limits.installations

  const idOf = (installationId: number): string => `${apiUrl} ${installationId}`
  const octokitOf = (installationId: number): Octokit => {
    const octokit =
      made.get(installationId) ??
      kit(idOf(installationId), { authStrategy: createAppAuth, auth: { ...auth, installationId } })
    made.set(installationId, octokit)
    return octokit
  }

  const find = ({ owner, repository }: Repository.RepositoryRef) =>
    Effect.tryPromise({
      try: (signal) =>
        app.request("GET /repos/{owner}/{repo}/installation", { owner, repo: repository, request: { signal } }),
      catch: rejected
    }).pipe(
      Effect.map(({ data }) => data.id),
      Effect.catch(({ cause }) =>
        cause instanceof RequestError && cause.status === 404
          ? Effect.fail(forgeError("installation", { owner, repository }, notInstalled))
          : failed("installation", { owner, repository }, cause)
      )
    )

  const installations = yield* Cache.makeWith(
    (key: string) => {
      const [owner = "", repository = ""] = key.split("/")
      return find({ owner, repository })
    },
    { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? timeToLive : afterFailure) }
  )
  return {
    get: (ref) => Effect.map(Cache.get(installations, keyOf(ref)), octokitOf),
    idOf: (ref) => Effect.map(Cache.get(installations, keyOf(ref)), idOf),
    drop: (ref) =>
      Effect.andThen(
        Effect.sync(() => made.clear()),
        Cache.invalidate(installations, keyOf(ref))
      )
  } satisfies Octokits
})

const keyOf = ({ owner, repository }: Repository.RepositoryRef): string => `${owner}/${repository}`

const notInstalled = { reason: "not_installed", message: "the app is not installed for this repository" } as const

interface Why {
  readonly reason: ForgeError["reason"]
  readonly message: string
  readonly status?: number
  readonly retryAt?: number
}

const forgeError = (operation: string, { owner, repository }: Repository.RepositoryRef, why: Why): ForgeError =>
  new ForgeError({ operation, owner, repository, retryAt: null, ...why })

const failed = (operation: string, ref: Repository.RepositoryRef, error: unknown) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(forgeError(operation, ref, why(error, now))))

/**
 * Why a request failed. The message has the status and the platform's words, and no part of the request.
 *
 * **Details**
 *
 * A commit that GitHub has just made, such as that of a group, is unknown to some of its servers for a while (422 "No commit
 * found"), and a conflict with another write (409) is over soon: both are like a platform that does not answer. A missing
 * permission, and what does not exist, have the same answers as an installation that somebody is changing: both are refusals.
 */
const why = (error: unknown, now: number): Why => {
  if (!(error instanceof RequestError)) return { reason: "unavailable", message: "the connection failed" }
  const headers = error.response?.headers ?? {}
  const { status } = error
  const words = wordsOf(error)
  const message = `${status} ${words}`
  const retryAt = limitEnd(error, headers, now)
  if (retryAt !== null) return { reason: "rate_limited", status, message, retryAt }
  if (status === 403 && /suspended/iu.test(words)) return { reason: "not_installed", status, message }
  const isPassing = status >= 500 || passing.has(status) || (status === 422 && /no commit found/iu.test(words))
  return { reason: isPassing ? "unavailable" : "refused", status, message }
}

/** A timeout, a conflict with another write, a lock, a request before its time. */
const passing: ReadonlySet<number> = new Set([408, 409, 423, 425])

/** An answer of failure is a page for people, of which the first words suffice. */
const wordsOf = ({ response }: RequestError): string => {
  const data: unknown = response?.data
  const message = typeof data === "object" && data !== null && "message" in data ? data.message : data
  return typeof message === "string" ? message.slice(0, 200) : "no answer"
}

type Headers = Readonly<Record<string, string | number | undefined>>

/** The words of limits, of which GitHub has many, with the statuses 403, 422 and 429. */
export const limitWords = /rate limit|abuse detection|too quickly|too many requests|quota/iu

/** The end of the limit that refused a request, null when no limit did. */
const limitEnd = ({ message, status }: RequestError, headers: Headers, now: number): number | null => {
  const isWorded = limitWords.test(message)
  if (status !== 403 && status !== 429 && !(status === 422 && isWorded)) return null
  const retryAfter = Number(headers["retry-after"])
  if (retryAfter > 0) return now + retryAfter * 1000
  if (status !== 422 && headers["x-ratelimit-remaining"] === "0")
    return Math.max(now, Number(headers["x-ratelimit-reset"]) * 1000 + 1000)
  return status === 429 || isWorded ? now + 60_000 : null
}
