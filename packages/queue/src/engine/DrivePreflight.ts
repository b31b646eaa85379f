/** Preflight of a driven queue: whether the rules of a repository let Lazaret merge. */
import * as QueueRule from "../QueueRule.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import * as Preflight from "./Preflight.ts"

/**
 * The findings of a queue that is driven, the impossible ones first.
 *
 * **Details**
 *
 * A rule is fine, needs a bypass for the app (a warning), or makes driving impossible. The platform does not say whether the app
 * bypasses a rule: a landing that is refused holds its pull requests, with the rule's name.
 */
export const check = (
  rules: ReadonlyArray<Preflight.BranchRule>,
  configuration: Pick<EngineConfiguration.EngineConfiguration, "requiredChecks" | "rules">
): ReadonlyArray<Preflight.Finding> =>
  Preflight.sorted(
    rules.length === 0
      ? [{ level: "warning", rule: "rules", message: "The branch has no rules: anybody may push past the queue." }]
      : rules.map((rule) => ofDriven(rule, configuration))
  )

const ofDriven = (
  rule: Preflight.BranchRule,
  { requiredChecks, rules }: Parameters<typeof check>[1]
): Preflight.Finding => {
  const configs = rules.length === 0 ? [QueueRule.defaults] : rules.map(({ config }) => config)
  const isPushing = configs.some((config) => landing(config) === "push")
  switch (rule.kind) {
    case "merge_queue":
      return {
        level: "impossible",
        rule: "merge queue",
        message:
          "The branch has a merge queue of the platform, which refuses every other landing: switch it off, or use mode gate."
      }
    case "required_check":
      if (Preflight.isOwn(rule)) {
        return {
          level: "impossible",
          rule: rule.name,
          message: `${rule.name} is required, and a driven queue does not set it: remove it from the rule.`
        }
      }
      return requiredChecks.includes(rule.name)
        ? { level: "fine", rule: rule.name, message: "The queue waits for it before it lands anything." }
        : {
            level: "impossible",
            rule: rule.name,
            message: `${rule.name} is required by the repository, but not by the queue: add it to required_checks.`
          }
    case "other":
      return ofOther(rule.name, { isPushing, configs })
  }
}

type Config = Pick<QueueRule.QueueConfig, "mergeMethod" | "queueBranchMergeMethod">

const landing = ({ mergeMethod, queueBranchMergeMethod }: Config): "push" | "merge" =>
  queueBranchMergeMethod === "fast-forward" || mergeMethod === "fast-forward" ? "push" : "merge"

interface Landings {
  readonly isPushing: boolean
  readonly configs: ReadonlyArray<Config>
}

const ofOther = (name: string, { configs, isPushing }: Landings): Preflight.Finding => {
  const bypass = (why: string): Preflight.Finding => ({
    level: "warning",
    rule: name,
    message: `Needs a bypass for the app: ${why}`
  })
  const fine = (message: string): Preflight.Finding => ({ level: "fine", rule: name, message })
  const impossible = (message: string): Preflight.Finding => ({ level: "impossible", rule: name, message })
  switch (name) {
    case "update":
      return bypass("nobody else may update the branch, so that nothing lands past the queue.")
    case "pull_request":
      return isPushing
        ? bypass("the tested commits are pushed to the branch.")
        : fine("Pull requests are merged one by one, and need what the rule asks for.")
    case "non_fast_forward":
    case "deletion":
    case "creation":
      return fine("The queue only adds commits to the branch.")
    case "required_linear_history":
      return configs.some((config) => config.mergeMethod === "merge" || config.mergeMethod === "fast-forward")
        ? impossible("Merge commits are forbidden: set merge_method to squash.")
        : fine("A squashed history is linear.")
    case "required_signatures":
      return configs.some((config) => config.mergeMethod === "squash" && landing(config) === "push")
        ? impossible(
            "Squashed commits with the author of the pull request are not signed: set queue_branch_merge_method to null."
          )
        : fine("The platform signs the commits that it makes.")
    case "merge_method_ff":
    case "merge_method_rebase_merge":
      return isPushing
        ? fine("The tested commits are pushed: the merge method of the project does not concern them.")
        : impossible(
            "The project merges only what stands on the tip of the branch: set queue_branch_merge_method to fast-forward, or its " +
              "merge method to a merge commit."
          )
    default:
      return isPushing
        ? bypass("the tested commits are pushed to the branch.")
        : fine("It is checked when a pull request is merged.")
  }
}
