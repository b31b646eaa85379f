/** Preflight: whether the rules of a repository let a gate keep its promises. */
import { Schema } from "effect"
import * as CheckMatch from "./CheckMatch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import { Instant } from "@lazaret/domain"
import type { Step } from "./Readiness.ts"
import { Text } from "@lazaret/domain"

const Name = Text.between(1, 1000)

/**
 * Schema of a rule of the repository that concerns a base branch.
 *
 * **Details**
 *
 * - `required_check`: a check that must pass before a pull request is merged; `isOurs`: only the app of this service can
 *   set it.
 * - `merge_queue`: the platform's own queue is on, and gives up on a silent check after `timeout` milliseconds. `grouping`:
 *   each commit of a group has to pass, or its last one alone. `minimum`: a green group waits until this many pull
 *   requests are green.
 * - `other`: any rule that the gate does not depend on.
 */
export const BranchRule = Schema.Union([
  Schema.Struct({ kind: Schema.tag("required_check"), name: Name, isOurs: Schema.Boolean }),
  Schema.Struct({
    kind: Schema.tag("merge_queue"),
    timeout: Schema.Finite,
    grouping: Schema.optionalKey(Schema.Literals(["all_green", "head_green"])),
    minimum: Schema.optionalKey(Schema.Int)
  }),
  Schema.Struct({ kind: Schema.tag("other"), name: Name })
])

/** A rule of the repository that concerns a base branch. */
export type BranchRule = typeof BranchRule.Type

/**
 * A finding. `impossible`: a gate on this branch would break a promise, so that it only decides in the shadow; `warning`:
 * it works, and somebody should know; `fine`.
 */
export interface Finding {
  readonly level: "fine" | "warning" | "impossible"
  readonly rule: string
  readonly message: string
}

/**
 * The findings of a gate, the impossible ones first.
 *
 * **Details**
 *
 * The platform evicts a pull request as soon as any required check is red, so that the check of this service must be the
 * only required one: all others are named in `required_checks` and read by the gate. `matches` are the jobs of the required
 * checks, as they were seen.
 *
 * @example
 * ```ts
 * import { EngineConfiguration, Preflight } from "@lazaret/queue"
 *
 * const configuration = { ...EngineConfiguration.defaults, requiredChecks: ["unit"] }
 * const rules = [{ kind: "required_check", name: "unit", isOurs: false }] as const
 * Preflight.check(rules, configuration).map(({ level, rule }) => `${level}: ${rule}`) // => ["impossible: unit", "impossible: lazaret/queue", "impossible: merge queue"]
 * ```
 */
export const check = (
  rules: ReadonlyArray<BranchRule>,
  configuration: Pick<EngineConfiguration.EngineConfiguration, "requiredChecks" | "responseTimeout">,
  matches: ReadonlyArray<CheckMatch.CheckMatch> = []
): ReadonlyArray<Finding> => {
  const findings = [
    ...ofJobs(matches),
    ...rules.flatMap((rule) => ofRule(rule, configuration)),
    ...(rules.some(isOwn) ? [] : [missingCheck]),
    ...(rules.some(({ kind }) => kind === "merge_queue") ? [] : [missingQueue])
  ]
  return sorted(findings)
}

/** Findings, the impossible ones first. */
export const sorted = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))

/** The warnings about what a gate needs of the platform and does not have, such as a permission of the app. */
export const ofSteps = (steps: ReadonlyArray<Step>): ReadonlyArray<Finding> =>
  steps.flatMap(({ action, isNeeded, message, name, state }) =>
    isNeeded && state === "missing"
      ? [{ level: "warning", rule: name, message: action === null ? message : `${message} ${action}` } as const]
      : []
  )

/** The findings about the jobs of the required checks, as they were seen. */
const ofJobs = (matches: ReadonlyArray<CheckMatch.CheckMatch>): ReadonlyArray<Finding> =>
  matches.map((match) => ({
    level: match.by === null ? "warning" : "fine",
    rule: match.check,
    message: CheckMatch.sentence(match)
  }))

/** Whether a gate must not act. */
export const isImpossible = (findings: ReadonlyArray<Finding>): boolean =>
  findings.some(({ level }) => level === "impossible")

const levels: ReadonlyArray<Finding["level"]> = ["impossible", "warning", "fine"]

/** Whether a rule requires the check of the queue itself. */
export const isOwn = (rule: BranchRule): boolean =>
  rule.kind === "required_check" && rule.name === EngineConfiguration.ownCheck

const missingCheck: Finding = {
  level: "impossible",
  rule: EngineConfiguration.ownCheck,
  message: `${EngineConfiguration.ownCheck} is not required: pull requests would be merged without it.`
}

const missingQueue: Finding = {
  level: "impossible",
  rule: "merge queue",
  message: "The branch has no merge queue: there is nothing to gate."
}

const ofRule = (
  rule: BranchRule,
  { requiredChecks, responseTimeout }: Parameters<typeof check>[1]
): ReadonlyArray<Finding> => {
  switch (rule.kind) {
    case "required_check":
      return [isOwn(rule) ? ofOwn(rule.isOurs) : ofForeign(rule.name, requiredChecks)]
    case "merge_queue":
      return [ofQueue(rule.timeout, responseTimeout), ...ofGrouping(rule), ...ofMinimum(rule)]
    case "other":
      return [{ level: "fine", rule: rule.name, message: "The gate does not depend on this rule." }]
  }
}

const ofOwn = (isOurs: boolean): Finding =>
  isOurs
    ? { level: "fine", rule: EngineConfiguration.ownCheck, message: "It is required, and only this app can set it." }
    : {
        level: "warning",
        rule: EngineConfiguration.ownCheck,
        message: "Anybody with write access can set this check: choose the app as its source in the rule."
      }

const ofForeign = (name: string, requiredChecks: ReadonlyArray<string>): Finding => {
  const then = requiredChecks.includes(name) ? "" : ", and add it to required_checks"
  return {
    level: "impossible",
    rule: name,
    message: `${name} is required by the repository: one red run evicts a pull request before it is judged. Remove it from the rule${then}.`
  }
}

const ofQueue = (timeout: number, expected: number): Finding =>
  timeout === expected
    ? { level: "fine", rule: "merge queue", message: "The branch has a merge queue." }
    : {
        level: "warning",
        rule: "merge queue",
        message: `The queue gives up on a check after ${timeout / Instant.minute} minutes, but response_timeout is ${expected / Instant.minute} minutes: make them equal.`
      }

type QueueRule = Extract<BranchRule, { readonly kind: "merge_queue" }>

const ofGrouping = ({ grouping }: QueueRule): ReadonlyArray<Finding> =>
  grouping === "head_green"
    ? [
        {
          level: "warning",
          rule: "merge queue",
          message:
            "The platform merges a group whose check failed when the check of one behind it passes. Choose in the rule that only pull requests that do not fail are merged."
        }
      ]
    : []

const ofMinimum = ({ minimum }: QueueRule): ReadonlyArray<Finding> =>
  (minimum ?? 1) > 1
    ? [
        {
          level: "warning",
          rule: "merge queue",
          message: `A group that passed waits until ${minimum} can be merged together: a pause takes its check back, which the platform may read too late. A minimum of 1 is safe.`
        }
      ]
    : []
