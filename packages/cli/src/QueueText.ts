/** A merge queue as text for people. */
import type { Configuration, Kept, Pauses, Queues } from "./QueueAnswer.ts"
import * as Table from "./Table.ts"
import { plain, type Terminal } from "./Terminal.ts"

/** The pause if there is one, and a table for each base branch. */
export const queues = (terminal: Terminal, { queues: all }: Queues, pauses: Pauses): string => {
  const branches = all
    .filter((each) => each.pull_requests.length > 0)
    .map(({ branch, pull_requests }) => `${plain(branch.name)}\n${Table.make(terminal, columns, pull_requests)}`)
  const queued = branches.length === 0 ? ["no pull request is queued"] : branches
  return [...pauses.queue_pause.map(banner), ...queued].join("\n\n")
}

/** The pause, in one line for each that holds. */
export const pauses = ({ queue_pause }: Pauses): string => queue_pause.map(banner).join("\n")

/** The rules in processing order. */
export const rules = (terminal: Terminal, { configuration }: Configuration): string =>
  configuration.length === 0 ? "there are no queue rules" : Table.make(terminal, ruleColumns, configuration)

/** What is wrong with a file, one line for each fault: `file:line: what`, as compilers write it. */
export const faults = (file: string, { errors }: Kept): string =>
  errors
    .map(({ location, message }) => {
      const [, line, what] = /^Line (\d+): (.*)$/s.exec(message) ?? []
      const path = location.replace(/^configuration\.?/, "")
      return plain([line === undefined ? file : `${file}:${line}`, `${path} ${what ?? message}`.trim()].join(": "))
    })
    .join("\n")

type Rule = Configuration["configuration"][number]

const ruleColumns: ReadonlyArray<Table.Column<Rule>> = [
  { heading: "rule", cell: ({ name }) => name, canShrink: true },
  { heading: "batch size", cell: ({ config }) => String(config.batch_size) },
  { heading: "wait for batch", cell: ({ config }) => `${config.batch_max_wait_time} s` },
  {
    heading: "checks time out",
    cell: ({ config }) => (config.checks_timeout === null ? "never" : `${config.checks_timeout} s`)
  },
  { heading: "merge method", cell: ({ config }) => config.merge_method }
]

type PullRequest = Queues["queues"][number]["pull_requests"][number]

const columns: ReadonlyArray<Table.Column<PullRequest>> = [
  { heading: "position", cell: ({ position }) => String(position) },
  { heading: "number", cell: ({ number }) => String(number) },
  { heading: "priority", cell: ({ priority_alias }) => priority_alias },
  { heading: "rule", cell: ({ queue_rule }) => queue_rule.name, canShrink: true },
  { heading: "check", cell: ({ mergeability_check }) => mergeability_check?.state ?? "not started" },
  {
    heading: "estimated merge",
    cell: ({ estimated_time_of_merge: at }) => (at === null ? "unknown" : seconds(at))
  }
]

const banner = ({ pause_date, reason }: Pauses["queue_pause"][number]): string =>
  `paused since ${seconds(pause_date)}: ${plain(reason)}`

const seconds = (time: string): string => plain(time.replace(/\.\d+Z$/, "Z"))
