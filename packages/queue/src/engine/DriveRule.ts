/** The settings of a rule where the queue is driven: which of them cannot act, and why. */
import * as QueueRule from "../QueueRule.ts"
import * as CommitMessage from "./CommitMessage.ts"

/** A setting that does not fit, and the reason. */
export interface Fault {
  readonly setting: keyof QueueRule.Settings
  readonly message: string
}

/**
 * The settings of a rule that do not fit a driven queue.
 *
 * **Details**
 *
 * A driven queue acts as the app, opens no draft pull requests, and never pushes to the branch of a pull request: what is not up to
 * date is tested on a queue branch. What was built is what lands, so that nobody may edit a queue branch.
 *
 * @example
 * ```ts
 * import { DriveRule } from "@lazaret/queue"
 *
 * DriveRule.faults({ mergeBotAccount: "robot" }).map(({ setting }) => setting) // => ["mergeBotAccount"]
 * DriveRule.faults({ batchSize: 4, mergeMethod: "squash", queueBranchMergeMethod: "fast-forward" }) // => []
 * ```
 */
export const faults = (given: Partial<QueueRule.Settings>): ReadonlyArray<Fault> => [
  ...accounts.flatMap((setting) =>
    (given[setting] ?? null) === null ? [] : [{ setting, message: "has no effect in mode drive: the app acts itself" }]
  ),
  ...(given.updateMethod === undefined
    ? []
    : [
        {
          setting: "updateMethod",
          message: "has no effect in mode drive: the branch of a pull request is never updated"
        } as const
      ]),
  ...(given.allowQueueBranchEdit === true
    ? [
        {
          setting: "allowQueueBranchEdit",
          message: "must be false in mode drive: what was built is what lands"
        } as const
      ]
    : []),
  ...ofPrefix(given.queueBranchPrefix),
  ...ofTemplate(given.commitMessageTemplate ?? null),
  ...ofRebase(given)
]

const accounts = ["draftBotAccount", "mergeBotAccount", "updateBotAccount"] as const

/** Names of branches as git allows them, without its rarer signs. */
const prefixForm = /^[\w-][\w./-]*$/u

const ofPrefix = (prefix: string | undefined): ReadonlyArray<Fault> => {
  const setting = "queueBranchPrefix"
  if (prefix === undefined) return []
  if (prefix.startsWith(QueueRule.defaults.queueBranchPrefix)) {
    return [{ setting, message: "must not be that of GitHub's own queue in mode drive; lazaret/queue/ is the default" }]
  }
  return prefixForm.test(prefix) && !prefix.includes("..") && !prefix.includes("//")
    ? []
    : [{ setting, message: "must begin the name of a branch, such as lazaret/queue/" }]
}

const ofTemplate = (template: string | null): ReadonlyArray<Fault> => {
  const [unknown] = template === null ? [] : CommitMessage.unknownNames(template)
  return unknown === undefined
    ? []
    : [{ setting: "commitMessageTemplate", message: `names ${unknown}; known are ${CommitMessage.names.join(", ")}` }]
}

/** No platform rebases several pull requests without a clone. */
const ofRebase = ({ batchSize = 1, mergeMethod, queueBranchMergeMethod = null }: Partial<QueueRule.Settings>) => {
  if (mergeMethod !== "rebase") return []
  const setting = "mergeMethod"
  if (batchSize > 1) return [{ setting, message: "can be rebase in mode drive only with batch_size 1" } as const]
  return queueBranchMergeMethod === null
    ? []
    : [{ setting, message: "can be rebase in mode drive only without queue_branch_merge_method" } as const]
}
