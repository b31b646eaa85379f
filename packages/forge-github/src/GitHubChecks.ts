/** Checks of commits at the hosting platform GitHub: check runs of suites and commit statuses, one check for each name. */
import { type Repository, Text } from "@lazaret/domain"
import { EngineConfiguration, type Observation } from "@lazaret/queue"
import { Effect, Schema } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import * as Pages from "./Pages.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef
type State = Observation.Check["state"]

/**
 * A check run or a status.
 *
 * **Details**
 *
 * A job that runs again has a further run in the same `suite`; two workflows with a job of one name have a suite each.
 * `suite` is null for a status. A newer run has a higher `order`. `endedAt` is null where it is not known.
 */
export interface Result {
  readonly name: string
  readonly suite: string | null
  readonly order: number
  readonly state: State
  readonly endedAt: number | null
  readonly url: string | null
}

/** The states of ended check runs and statuses, by the words of GitHub; any other word is a check that has not ended. */
const ends: Readonly<Record<string, State>> = {
  success: "success",
  failure: "failure",
  error: "error",
  startup_failure: "failure",
  neutral: "neutral",
  cancelled: "cancelled",
  skipped: "skipped",
  timed_out: "timed_out",
  action_required: "action_required",
  stale: "stale"
}

const stateOf = (end: string | null): State => ends[(end ?? "").toLowerCase()] ?? "pending"

/** How bad a state is: failed, open, ended without a judgement, passed. */
const severity = (state: State): number =>
  state === "success" ? 0 : state === "skipped" || state === "neutral" ? 1 : state === "pending" ? 2 : 3

const groupBy = <A, K>(
  items: ReadonlyArray<A>,
  keyOf: (item: A) => K
): ReadonlyArray<readonly [K, ReadonlyArray<A>]> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key) ?? []
    group.push(item)
    groups.set(key, group)
  }
  return [...groups]
}

const newest = (results: ReadonlyArray<Result>, first: Result): Result =>
  results.reduce((a, b) => (b.order > a.order ? b : a), first)

/** The newest run of each name and suite. */
export const latest = (results: ReadonlyArray<Result>): ReadonlyArray<Result> =>
  groupBy(results, ({ name, suite }) => `${suite ?? ""} ${name}`).flatMap(([, [first, ...others]]) =>
    first === undefined ? [] : [newest(others, first)]
  )

/**
 * One check for each name: the newest run of each suite counts, and over suites and statuses the worst.
 *
 * **Details**
 *
 * While a suite runs again, the check is pending: failed jobs of the other suites may be about to run again too. `attempt`
 * counts the runs of all suites, so that it grows with every one.
 */
export const combined = (results: ReadonlyArray<Result>): ReadonlyArray<Observation.Check> =>
  groupBy(results, ({ name }) => name).flatMap(([name, all]) => {
    const current = groupBy(all, ({ suite }) => suite).flatMap(([, runs]) => {
      const [first] = runs
      return first === undefined ? [] : [{ ...newest(runs, first), isAgain: runs.length > 1 }]
    })
    const [first] = current
    if (first === undefined) return []
    const again = current.find(({ isAgain, state }) => isAgain && state === "pending")
    const { state, url } = again ?? current.reduce((a, b) => (severity(b.state) > severity(a.state) ? b : a), first)
    const attempt = Math.max(1, all.filter(({ suite }) => suite !== null).length)
    return [{ name, state, attempt, url }]
  })

/** The first text that is an address which people may follow. */
const addressOf = (...texts: ReadonlyArray<string | null | undefined>): string | null =>
  texts.find(Schema.is(Text.Address)) ?? null

// --- the checks of a commit --------------------------------------------------------------------------------------

/** Every check run of a commit, earlier attempts too, without that of the queue itself. */
export const results = Effect.fnUntraced(function* (client: Client, ref: Ref, sha: string) {
  const found = yield* Pages.all((page) =>
    Effect.map(
      client.ask("checks", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
          owner: ref.owner,
          repo: ref.repository,
          ref: sha,
          filter: "all",
          per_page: Pages.size,
          page,
          ...options
        })
      ),
      ({ data }) => data.check_runs
    )
  )
  return found.flatMap((run): ReadonlyArray<Result> => {
    const { check_suite: suite, conclusion, details_url: details, html_url: page, id, name, status } = run
    if (name === EngineConfiguration.ownCheck) return []
    const state = stateOf(status === "completed" ? conclusion : null)
    const endedAt = run.completed_at === null ? null : Date.parse(run.completed_at)
    return [{ name, suite: String(suite?.id), order: Number(id), state, endedAt, url: addressOf(page, details) }]
  })
})

/** Every check run and status of a commit, earlier attempts too. */
export const all = (client: Client, ref: Ref, sha: string) =>
  Effect.zipWith(results(client, ref, sha), statuses(client, ref, sha), (runs, states) => [...runs, ...states])

/** The checks of a commit. */
export const ofCommit = (client: Client, ref: Ref, sha: string) => Effect.map(all(client, ref, sha), combined)

const statuses = Effect.fnUntraced(function* (client: Client, ref: Ref, sha: string) {
  const found = yield* Pages.all((page) =>
    Effect.map(
      client.ask("checks", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/commits/{ref}/statuses", {
          owner: ref.owner,
          repo: ref.repository,
          ref: sha,
          per_page: Pages.size,
          page,
          ...options
        })
      ),
      ({ data }) => data
    )
  )
  return found.flatMap(({ context: name, id, state, target_url: target }): ReadonlyArray<Result> => {
    if (name === EngineConfiguration.ownCheck) return []
    return [{ name, suite: null, order: id, state: stateOf(state), endedAt: null, url: addressOf(target) }]
  })
})

// --- the checks of a head ----------------------------------------------------------------------------------------

/** The fields of a check in a query. */
export const contextFields = `__typename
  ... on CheckRun { name status conclusion startedAt url detailsUrl checkSuite { id } }
  ... on StatusContext { context state targetUrl }`

/** Schema of a check in an answer. */
export const Context = Schema.Union([
  Schema.Struct({
    __typename: Schema.tag("CheckRun"),
    name: Schema.String,
    status: Schema.String,
    conclusion: Schema.NullOr(Schema.String),
    startedAt: Schema.NullOr(Schema.String),
    url: Schema.NullOr(Schema.String),
    detailsUrl: Schema.NullOr(Schema.String),
    checkSuite: Schema.Struct({ id: Schema.String })
  }),
  Schema.Struct({
    __typename: Schema.tag("StatusContext"),
    context: Schema.String,
    state: Schema.String,
    targetUrl: Schema.NullOr(Schema.String)
  })
])

const resultOf = (context: typeof Context.Type): Result =>
  context.__typename === "CheckRun"
    ? {
        name: context.name,
        suite: context.checkSuite.id,
        order: context.startedAt === null ? Infinity : Date.parse(context.startedAt),
        state: stateOf(context.status === "COMPLETED" ? context.conclusion : null),
        endedAt: null,
        url: addressOf(context.url, context.detailsUrl)
      }
    : {
        name: context.context,
        suite: null,
        order: 0,
        state: stateOf(context.state),
        endedAt: null,
        url: addressOf(context.targetUrl)
      }

/**
 * The checks of the head of a pull request, as attempt 1.
 *
 * **Details**
 *
 * An event of the pull request, such as a label, starts its workflows again in new suites, and often cancels the older
 * ones: what was cancelled before a newer run of the same name began says nothing about the head.
 */
export const ofHead = (contexts: ReadonlyArray<typeof Context.Type>): ReadonlyArray<Observation.Check> => {
  const found = contexts.map(resultOf)
  const isReplaced = ({ name, order, state }: Result) =>
    state === "cancelled" && found.some((other) => other.name === name && other.order > order)
  const current = found.filter((result) => !isReplaced(result))
  return combined(current).map((check) => ({ ...check, attempt: 1 }))
}
