/**
 * The rules of a branch at the hosting platform GitHub.
 *
 * **Details**
 *
 * Rulesets and the older protection of branches exist next to each other, and both count. The older one is read from the
 * branch, which every reader of the repository may.
 */
import { Instant, type Repository } from "@lazaret/domain"
import { type Preflight } from "@lazaret/queue"
import type { ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import * as Pages from "./Pages.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef
type Rule = Preflight.BranchRule

/** A branch, the id of this app, and its merge queue as the platform has it, where no ruleset names one. */
export interface Asked {
  readonly branch: string
  readonly appId: number | null
  readonly queue: Effect.Effect<Limits | null, ForgeError>
}

/** Schema of the configuration of a merge queue, as GraphQL has it. */
export const Limits = Schema.Struct({
  checkResponseTimeout: Schema.NullOr(Schema.Int),
  mergingStrategy: Schema.NullOr(Schema.String),
  minimumEntriesToMerge: Schema.NullOr(Schema.Int)
})

type Limits = typeof Limits.Type

/** The rules of a branch: those of rulesets first. A check that both require is named once. */
export const ofBranch = Effect.fnUntraced(function* (client: Client, ref: Ref, { appId, branch, queue }: Asked) {
  const at = { owner: ref.owner, repo: ref.repository, branch }
  const found = yield* Pages.all((page) =>
    Effect.map(
      client.ask("rules", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/rules/branches/{branch}", {
          ...at,
          per_page: Pages.size,
          page,
          ...options
        })
      ),
      ({ data }) => data
    )
  )
  const ofRulesets = found.flatMap((rule) => ruleOf(rule, appId))
  const required = yield* protection(client, ref, at)
  const rules = merged([...ofRulesets, ...required.map((check) => checkOf(check, appId))])
  if (rules.some(({ kind }) => kind === "merge_queue")) return rules
  const limits = yield* queue
  if (limits === null || limits.checkResponseTimeout === null) return rules
  const { checkResponseTimeout: minutes, mergingStrategy: grouping, minimumEntriesToMerge: minimum } = limits
  return [...rules, queueRule({ minutes, grouping, minimum })]
})

/** The checks that the older protection of a branch requires. */
const protection = (
  client: Client,
  ref: Ref,
  at: { readonly owner: string; readonly repo: string; readonly branch: string }
) =>
  client
    .ask("rules", ref, (kit, options) =>
      kit.request("GET /repos/{owner}/{repo}/branches/{branch}", { ...at, ...options })
    )
    .pipe(
      Effect.map(({ data }): ReadonlyArray<Required> => {
        const { checks, contexts = [] } = data.protection?.required_status_checks ?? {}
        if (checks === undefined) return contexts.map((context) => ({ context }))
        return checks.map(({ app_id: app, context }) => ({ context, integration_id: app }))
      }),
      Effect.catchIf(
        ({ status }) => status === 404,
        () => Effect.succeed<ReadonlyArray<Required>>([])
      )
    )

const Required = Schema.Struct({
  context: Schema.String,
  integration_id: Schema.optionalKey(Schema.NullOr(Schema.Int))
})

type Required = typeof Required.Type

const checkOf = ({ context: name, integration_id: app }: Required, appId: number | null): Rule => ({
  kind: "required_check",
  name,
  isOurs: appId !== null && app === appId
})

/** Each required check once: it is bound to this app when one of the rules binds it. */
const merged = (rules: ReadonlyArray<Rule>): ReadonlyArray<Rule> =>
  rules.flatMap((rule, index): ReadonlyArray<Rule> => {
    if (rule.kind !== "required_check") return [rule]
    const same = rules.filter((other) => other.kind === "required_check" && other.name === rule.name)
    const isFirst = same[0] === rules[index]
    return isFirst ? [{ ...rule, isOurs: same.some((other) => other.kind === "required_check" && other.isOurs) }] : []
  })

const RequiredChecks = Schema.Struct({ required_status_checks: Schema.Array(Required) })

const QueueParameters = Schema.Struct({
  check_response_timeout_minutes: Schema.Finite,
  grouping_strategy: Schema.optionalKey(Schema.String),
  min_entries_to_merge: Schema.optionalKey(Schema.Int)
})

interface Queue {
  readonly minutes: number
  readonly grouping: string | null
  readonly minimum: number | null
}

/** The rule of a queue, without the members that GitHub leaves out. */
const queueRule = ({ grouping, minimum, minutes }: Queue): Rule => ({
  kind: "merge_queue",
  timeout: minutes * Instant.minute,
  ...(grouping === null
    ? {}
    : { grouping: grouping === "HEADGREEN" ? ("head_green" as const) : ("all_green" as const) }),
  ...(minimum === null ? {} : { minimum })
})

interface Answered {
  readonly type: string
  readonly parameters?: object | undefined
}

const ruleOf = ({ parameters, type }: Answered, appId: number | null): ReadonlyArray<Rule> => {
  if (type === "required_status_checks" && Schema.is(RequiredChecks)(parameters)) {
    return parameters.required_status_checks.map((check) => checkOf(check, appId))
  }
  if (type === "merge_queue" && Schema.is(QueueParameters)(parameters)) {
    const {
      check_response_timeout_minutes: minutes,
      grouping_strategy: grouping,
      min_entries_to_merge: minimum
    } = parameters
    return [queueRule({ minutes, grouping: grouping ?? null, minimum: minimum ?? null })]
  }
  return [{ kind: "other", name: type }]
}
