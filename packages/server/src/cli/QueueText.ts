/**
 * A merge queue as text for people.
 *
 * @since 0.1.0
 */
import type { Configuration, Kept, Pauses, Queues } from "./QueueAnswer.ts"

/**
 * The pause if there is one, and a table for each base branch.
 *
 * @category conversions
 * @since 0.1.0
 */
export const queues = ({ queues: all }: Queues, pauses: Pauses): string => {
  const branches = all
    .filter((each) => each.pull_requests.length > 0)
    .map(({ branch, pull_requests }) => `${plain(branch.name)}\n${table([headings, ...pull_requests.map(cells)])}`)
  const queued = branches.length === 0 ? ["no pull request is queued"] : branches
  return [...pauses.queue_pause.map(banner), ...queued].join("\n\n")
}

/**
 * The pause, in one line for each that holds.
 *
 * @category conversions
 * @since 0.1.0
 */
export const pauses = ({ queue_pause }: Pauses): string => queue_pause.map(banner).join("\n")

/**
 * The rules in processing order.
 *
 * @category conversions
 * @since 0.1.0
 */
export const rules = ({ configuration }: Configuration): string =>
  configuration.length === 0
    ? "there are no queue rules"
    : table([
        ["rule", "batch size", "wait for batch", "checks time out", "merge method"],
        ...configuration.map(({ config, name }) => [
          plain(name),
          String(config.batch_size),
          `${config.batch_max_wait_time} s`,
          config.checks_timeout === null ? "never" : `${config.checks_timeout} s`,
          plain(config.merge_method)
        ])
      ])

/**
 * What is wrong with a file, one line for each fault: `file:line: what`, as compilers write it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const faults = (file: string, { errors }: Kept): string =>
  errors
    .map(({ location, message }) => {
      const [, line, what] = /^Line (\d+): (.*)$/s.exec(message) ?? []
      const path = location.replace(/^configuration\.?/, "")
      return plain([line === undefined ? file : `${file}:${line}`, `${path} ${what ?? message}`.trim()].join(": "))
    })
    .join("\n")

const headings = ["position", "number", "priority", "rule", "check", "estimated merge"]

const cells = (each: Queues["queues"][number]["pull_requests"][number]): ReadonlyArray<string> => [
  String(each.position),
  String(each.number),
  plain(each.priority_alias),
  plain(each.queue_rule.name),
  each.mergeability_check === null ? "not started" : plain(each.mergeability_check.state),
  each.estimated_time_of_merge === null ? "unknown" : seconds(each.estimated_time_of_merge)
]

const banner = ({ pause_date, reason }: Pauses["queue_pause"][number]): string =>
  `paused since ${seconds(pause_date)}: ${plain(reason)}`

const seconds = (time: string): string => plain(time.replace(/\.\d+Z$/, "Z"))

/** Branches, rules and reasons are the text of others: nothing in them may move the cursor or fake a line. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\uFFFD")

const table = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
