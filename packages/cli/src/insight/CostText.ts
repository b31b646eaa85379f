/** Costs of flaky tests as text. */
import type { Schemas } from "@lazaret/api"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"

type Row = typeof Schemas.CostRow.Type

type Figures = typeof Schemas.CostFigures.Type

type Counts = Figures["commits"]

/** Minutes, and hours from two hours on. */
export const timeOf = (minutes: number): string => {
  if (minutes >= 120) return `${(minutes / 60).toFixed(1)} h`
  return minutes === 0 || minutes >= 9.95 ? `${Math.round(minutes)} min` : `${minutes.toFixed(1)} min`
}

const percent = (share: number): string => {
  const value = share * 100
  return `${value > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} %`
}

/** The columns of the table; with prices there is one for them. */
export const columnsOf = ({ is_priced }: Figures): ReadonlyArray<Table.Column<Row>> => [
  { heading: "share", cell: ({ share }) => percent(share), isNumber: true },
  ...(is_priced ? [{ heading: "price", cell: (row: Row) => row.amount.toFixed(2), isNumber: true }] : []),
  { heading: "jobs", cell: ({ machine_minutes }) => timeOf(machine_minutes), isNumber: true },
  { heading: "waiting", cell: ({ waiting_minutes }) => timeOf(waiting_minutes), isNumber: true },
  { heading: "red runs", cell: ({ job_runs }) => String(Number(job_runs.toFixed(1))), isNumber: true },
  { heading: "tests", cell: ({ tests }) => String(tests), isNumber: true },
  { heading: "name", cell: nameOf, canShrink: true }
]

const nameOf = ({ name, tests }: Row): string => name ?? (tests === 0 ? "" : "(without owner, or not listed)")

/** The figures of all rows, line by line. */
export const figuresOf = (figures: Figures): string =>
  Table.fields([
    ["job runs", redOf(figures.job_runs)],
    ["commits", redOf(figures.commits)],
    ["pull requests", redOf(figures.pull_requests)],
    ["time of jobs", jobsOf(figures)],
    [
      "waiting",
      `${timeOf(figures.waiting_minutes)} on ${Words.counted(figures.waiting_commits, "commit")}, from the first red to the first green`
    ],
    [
      "outages",
      `${timeOf(figures.outages.minutes)} in ${Words.counted(figures.outages.job_runs, "job run")}, not counted above`
    ],
    [
      "merge queue",
      `${Words.counted(figures.queue.evictions, "eviction")} and ${Words.counted(figures.queue.reruns, "rerun")} for flakes`
    ],
    [
      "gate",
      `with the gate and quarantine ${Words.counted(figures.let_pass_by_gate, "job run")} with a real failure would have passed`
    ],
    ["counted", `from ${Session.minuteOf(figures.from)}, times from ${sources[figures.time_source]}`]
  ])

const redOf = ({ all, by_flakes, share, share_with_gate }: Counts): string =>
  share === null || share_with_gate === null
    ? "none"
    : `${by_flakes} of ${all} red by flakes alone (${percent(share)}; ${percent(share_with_gate)} with the gate and quarantine)`

const jobsOf = ({ failed_minutes, machine_minutes, run_again_minutes, repeated_in_jobs_minutes }: Figures): string =>
  `${timeOf(machine_minutes)}: ${timeOf(failed_minutes)} red, ${timeOf(run_again_minutes)} run again, ${timeOf(repeated_in_jobs_minutes)} repeated in jobs`

const sources = {
  platform: "the hosting platform",
  reports: "the durations in the reports",
  both: "the hosting platform and the reports"
} as const

/** When costs were computed, and what is worth mending first. */
export const lastOf = ({
  computed_at,
  sentence
}: Pick<typeof Schemas.CostsPage.Type, "computed_at" | "sentence">): string =>
  computed_at === null ? plain(sentence) : `${plain(sentence)}, computed at ${Session.minuteOf(computed_at)}`
