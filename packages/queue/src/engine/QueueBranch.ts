/** Queue branches: their names, and which of them nobody needs any more. */
import type { Batch } from "./Batch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as QueueRule from "../QueueRule.ts"
import * as Work from "./Work.ts"

/** The prefix of queue branches by default: apart from those of the hosting platform's own queue. */
const defaultPrefix = "lazaret/queue/"

/** The name of the queue branch of a batch: every build has its own, so that no name ever means two commits. */
export const nameOf = (batch: Batch, configuration: EngineConfiguration.EngineConfiguration): string => {
  const { queueBranchPrefix: prefix } = EngineConfiguration.ruleOf(configuration, batch.rule)
  return `${ownPrefix(prefix)}${configuration.branch}/${batch.id}-${batch.generation}`
}

/** The beginnings of the names of all queue branches of a base branch. */
export const prefixes = (configuration: EngineConfiguration.EngineConfiguration): ReadonlyArray<string> => [
  ...new Set(
    [QueueRule.defaults, ...configuration.rules.map(({ config }) => config)].map(
      ({ queueBranchPrefix }) => `${ownPrefix(queueBranchPrefix)}${configuration.branch}/`
    )
  )
]

/** Whether the rest of a name is that of a batch: other branches of people are left alone. */
export const isOfBatch = (rest: string): boolean => /^b\d+(?:\.\d+)*-\d+$/u.test(rest)

const ownPrefix = (prefix: string): string => (prefix === QueueRule.defaults.queueBranchPrefix ? defaultPrefix : prefix)

/** Discards the branches that no batch needs. */
export const pass: Work.Pass = (work) => {
  const needed = new Set(
    work.state.batches
      .filter(({ foundation, steps }) => foundation !== null && steps.length > 0)
      .map((batch) => nameOf(batch, work.configuration))
  )
  for (const { name } of work.state.branches) {
    if (!needed.has(name)) Work.issue(work, { kind: "discard", id: `discard/${name}`, branch: name })
  }
}
