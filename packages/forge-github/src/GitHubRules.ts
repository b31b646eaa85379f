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
  readonly queueTimeout: Effect.Effect<number | null, ForgeError>
}

/** The rules of a branch: those of rulesets first. A check that both require is named once. */
export const ofBranch = Effect.fnUntraced(function* (client: Client, ref: Ref, { appId, branch, queueTimeout }: Asked) {
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
  const minutes = yield* queueTimeout
  return minutes === null ? rules : [...rules, { kind: "merge_queue", timeout: minutes * Instant.minute } as const]
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

const QueueParameters = Schema.Struct({ check_response_timeout_minutes: Schema.Finite })

interface Answered {
  readonly type: string
  readonly parameters?: object | undefined
}

const ruleOf = ({ parameters, type }: Answered, appId: number | null): ReadonlyArray<Rule> => {
  if (type === "required_status_checks" && Schema.is(RequiredChecks)(parameters)) {
    return parameters.required_status_checks.map((check) => checkOf(check, appId))
  }
  if (type === "merge_queue" && Schema.is(QueueParameters)(parameters)) {
    return [{ kind: "merge_queue", timeout: parameters.check_response_timeout_minutes * Instant.minute }]
  }
  return [{ kind: "other", name: type }]
}
