/** The cost of a week in one sentence, for the digest of the week. */
import { counted } from "../failure/FailureEvidence.ts"
import type * as Instant from "../time/Instant.ts"
import * as Cost from "./Cost.ts"
import type { CostKnown, Test } from "./CostKnown.ts"
import type { CostPolicy } from "./CostPolicy.ts"

/** The cost of a week: when it began, what it cost in one sentence, and the same as fields. */
export interface CostOfWeek {
  readonly start: Instant.Instant
  readonly summary: string
  readonly detail: {
    readonly machineMinutes: number
    readonly waitingMinutes: number
    readonly redCommits: number
    readonly commits: number
    readonly share: number
    readonly causes: ReadonlyArray<{ readonly name: string; readonly share: number }>
  }
}

/** A question for the cost of a week: the numbers of the repository, and the owners of tests. */
export interface Question {
  readonly policy: CostPolicy
  readonly ownersOf: (test: Test) => ReadonlyArray<string>
}

/** The cost of the last week that is over; null where there is too little data for one, and where flakes cost nothing. */
export const of = (known: CostKnown, question: Question): CostOfWeek | null => {
  const over = known.weeks.length - 2
  const week = known.weeks[over]
  if (week === undefined || week.start < known.from) return null
  const cells = known.cells.filter((cell) => cell.week === over).map((cell) => ({ ...cell, week: 0 }))
  const cost = Cost.of({ ...known, weeks: [week], cells }, { ...question, by: "cause", weeks: 1 })
  const sentence = Cost.sentence(cost)
  if (cost.missingRuns > 0 || sentence === null) return null
  const { commits } = cost.counts
  const machineMinutes = Math.round(Cost.minutesOf(Cost.machineUs(cost.total)))
  const waitingMinutes = Math.round(Cost.minutesOf(cost.total.waiting))
  const causes = cost.worst.causes.map(({ name, share }) => ({ name: shortened(name ?? ""), share }))
  return {
    start: week.start,
    summary:
      `Last week flaky tests alone made ${commits.byFlakes} of ${commits.all} commits red, and cost ${counted(machineMinutes, "minute")} of ` +
      `jobs and ${waitingMinutes} of waiting; ${sentence}: ${causes.map(withShare).join(", ")}.`,
    detail: {
      machineMinutes,
      waitingMinutes,
      redCommits: commits.byFlakes,
      commits: commits.all,
      share: cost.worst.share,
      causes
    }
  }
}

const withShare = ({ name, share }: { readonly name: string; readonly share: number }): string =>
  `${name} (${Math.round(share * 100)} %)`

/** Five names are read in one line of a message. */
const shortened = (name: string): string => {
  const characters = Array.from(name)
  return characters.length <= shownOfName ? name : `${characters.slice(0, shownOfName).join("")}…`
}

const shownOfName = 80
