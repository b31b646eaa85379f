/** The handlers of the tools of `lazaret mcp`: each asks the server with the key of the command. */
import { Repository, TestId } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import type * as CommandFailure from "../terminal/CommandFailure.ts"
import { usage } from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import type * as Session from "../connection/Session.ts"
import * as KnownTest from "../quarantine/KnownTest.ts"
import * as McpTools from "./McpTools.ts"

/** The session of the command, and the repository of its flags or environment. */
export interface Context {
  readonly session: Session.Session
  readonly repository: Option.Option<Repository.RepositoryRef>
}

/** The handlers of the tools that read. */
export const reading = (context: Context) =>
  McpTools.reading.toLayer({
    search_tests: Effect.fnUntraced(function* ({ health = [], limit = 20, names = [], repository, search }) {
      const params = yield* refOf(context, repository)
      const query = {
        test_name: names,
        health_status: health,
        per_page: limit,
        ...(search === undefined ? {} : { search })
      }
      return yield* bodyOf(context.session.call(null, (api) => api.listTests({ params, query, ...both })))
    }),
    explain_test: Effect.fnUntraced(function* ({ repository, test }) {
      const params = { ...(yield* refOf(context, repository)), test_id: idOf(test) }
      const explained = yield* bodyOf(context.session.call(test, (api) => api.explainTest({ params, ...both })))
      const stress = yield* bodyOf(context.session.call(test, (api) => api.listStressRuns({ params, ...both })))
      return { ...explained, ...stress }
    }),
    test_failures: Effect.fnUntraced(function* ({ groups = 3, repository, test }) {
      const params = { ...(yield* refOf(context, repository)), test_id: idOf(test) }
      const { session } = context
      const { value } = yield* session.call(test, (api) => api.listTestFailures({ params, ...both }))
      const failures = yield* Effect.forEach(value.failures.slice(0, groups), ({ id }) =>
        bodyOf(session.call(test, (api) => api.getTestFailure({ params: { ...params, failure_id: id }, ...both })))
      )
      return { test_id: params.test_id, total: value.failures.length, failures: failures.map(latestOf) }
    }),
    judge_failures: Effect.fnUntraced(function* ({ commit, limit = 20, pull_request: number, repository }) {
      const ref = yield* refOf(context, repository)
      const query = { per_page: limit }
      if (number !== undefined && commit === undefined) {
        const params = { ...ref, number }
        return yield* bodyOf(
          context.session.call(null, (api) => api.listPullRequestFailures({ params, query, ...both }))
        )
      }
      if (commit === undefined || number !== undefined) {
        return yield* usage("Name either a commit or a pull request.")
      }
      const params = { ...ref, commit }
      return yield* bodyOf(context.session.call(null, (api) => api.listCommitFailures({ params, query, ...both })))
    }),
    list_causes: Effect.fnUntraced(function* ({ limit = 20, repository, test }) {
      const params = yield* refOf(context, repository)
      const query = { per_page: limit, ...(test === undefined ? {} : { test_id: idOf(test) }) }
      return yield* bodyOf(context.session.call(null, (api) => api.listCauses({ params, query, ...both })))
    }),
    list_slower: Effect.fnUntraced(function* ({ limit = 20, repository }) {
      const params = yield* refOf(context, repository)
      const query = { per_page: limit }
      return yield* bodyOf(context.session.call(null, (api) => api.listSlower({ params, query, ...both })))
    }),
    list_missing: Effect.fnUntraced(function* ({ limit = 20, open, repository }) {
      const params = yield* refOf(context, repository)
      const query = { per_page: limit, ...(open === true ? { state: ["open"] as const } : {}) }
      return yield* bodyOf(context.session.call(null, (api) => api.listLosses({ params, query, ...both })))
    }),
    list_costs: Effect.fnUntraced(function* ({ by, limit = 20, repository, weeks }) {
      const params = yield* refOf(context, repository)
      const query = { per_page: limit, ...(by === undefined ? {} : { by }), ...(weeks === undefined ? {} : { weeks }) }
      return yield* bodyOf(context.session.call(null, (api) => api.listCosts({ params, query, ...both })))
    }),
    queue_history: Effect.fnUntraced(function* ({ pull_request: number, repository }) {
      const params = { ...(yield* refOf(context, repository)), number }
      return yield* bodyOf(context.session.call(null, (api) => api.getMergeQueueHistory({ params, ...both })))
    }),
    list_quarantines: Effect.fnUntraced(function* ({ limit = 20, repository }) {
      const params = yield* refOf(context, repository)
      const query = { per_page: limit }
      return yield* bodyOf(context.session.call(null, (api) => api.listQuarantines({ params, query, ...both })))
    })
  })

/** The handlers of the tools that change something. */
export const writing = (context: Context) =>
  McpTools.writing.toLayer({
    quarantine_test: Effect.fnUntraced(function* ({ branch = null, force = false, reason, repository, test }) {
      const params = yield* refOf(context, repository)
      if (!force) yield* Effect.catchTag(KnownTest.check(context.session, params, test), "MissingPackage", Effect.die)
      const payload = { test_name: test, reason, branch }
      return yield* bodyOf(context.session.call(test, (api) => api.createQuarantine({ params, payload, ...both })))
    })
  })

const refOf = (
  { repository }: Context,
  given: string | undefined
): Effect.Effect<Repository.RepositoryRef, CommandFailure.CommandFailure> => {
  const ref = given === undefined ? repository : Flags.parseRepository(given)
  if (Option.isSome(ref)) return Effect.succeed(ref.value)
  return Effect.fail(
    usage(given === undefined ? "Name the repository as owner/name." : `${Flags.adviceOnRepository(given)}.`)
  )
}

const isId = Schema.is(Schema.String.check(Schema.isUUID(5)))

const idOf = (test: string): string => (isId(test) ? test : TestId.of(test))

const bodyOf = (
  called: Effect.Effect<{ readonly body: unknown }, CommandFailure.CommandFailure>
): Effect.Effect<Schema.JsonObject, CommandFailure.CommandFailure> =>
  Effect.flatMap(called, ({ body }) => Effect.orDie(Schema.decodeUnknownEffect(Schema.JsonObject)(body)))

/** Agents read a few thousand characters of a stack trace, and the latest event alone. */
const mostCharacters = 4000

const latestOf = ({ latest_events: events, ...group }: Schema.JsonObject): Schema.JsonObject => {
  const latest: unknown = Array.isArray(events) ? events[0] : undefined
  if (!isObject(latest)) return group
  const stack = latest["exception_stacktrace"]
  return {
    ...group,
    latest: typeof stack === "string" ? { ...latest, exception_stacktrace: stack.slice(0, mostCharacters) } : latest
  }
}

const isObject = Schema.is(Schema.JsonObject)
