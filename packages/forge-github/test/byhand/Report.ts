/** The report of a run of the suite by hand, as a document that a person can send: Markdown and JSON, without secrets. */
import { Readiness } from "@lazaret/queue"
import type { Outcome } from "./Suite.ts"

/** The run that a report is about. */
export interface Run {
  readonly apiUrl: string
  readonly repository: string
  /** The kinds of its credentials. */
  readonly by: string
  readonly at: string
  readonly commit: string
  readonly outcomes: ReadonlyArray<Outcome>
}

const count = (outcomes: ReadonlyArray<Outcome>, wanted: Outcome["outcome"]): number =>
  outcomes.filter(({ outcome }) => outcome === wanted).length

/** The sentence that sums a run up. */
export const summary = (outcomes: ReadonlyArray<Outcome>): string =>
  `${count(outcomes, "holds")} hold, ${count(outcomes, "broken")} broken, ${count(outcomes, "left out")} left out`

/** The run as JSON, with what it left unverified. */
export const json = (run: Run): string =>
  `${JSON.stringify({ ...run, summary: summary(run.outcomes), unverified: Readiness.assumptions }, null, 2)}\n`

/** The run as Markdown: broken cases first. */
export const markdown = ({ apiUrl, at, by, commit, outcomes, repository }: Run): string => {
  const order: ReadonlyArray<Outcome["outcome"]> = ["broken", "left out", "holds"]
  const sections = order.flatMap((wanted) => {
    const found = outcomes.filter(({ outcome }) => outcome === wanted)
    return found.length === 0 ? [] : [`## ${titles[wanted]}`, "", ...found.map(line), ""]
  })
  return [
    "# Lazaret at a real GitHub",
    "",
    `Platform ${apiUrl}, repository ${repository} with ${by}, ${at}, Lazaret at ${commit}: ${summary(outcomes)}.`,
    "",
    ...sections,
    "## Not verified by this run",
    "",
    ...Readiness.assumptions.map((each) => `- ${each}`),
    ""
  ].join("\n")
}

const titles: Readonly<Record<Outcome["outcome"], string>> = {
  broken: "Broken",
  "left out": "Left out",
  holds: "Hold"
}

const line = ({ detail, name }: Outcome): string =>
  `- ${name}${detail === "" ? "" : ` (${detail.replaceAll(/\s+/gu, " ")})`}`
