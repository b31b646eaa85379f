/** Verdicts on failures for people: one line each on the terminal, and what annotations and summaries of a CI system say. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import * as Dashboard from "../connection/Dashboard.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import type { Judgement, ShownFailure } from "./ShownFailure.ts"
import { type Colour, paint, plain, type Terminal } from "../terminal/Terminal.ts"

/** The verdict on one failure. */
export type Failure = typeof Schemas.JudgedFailure.Type

/** The summary of verdicts. */
export type Summary = typeof Schemas.TriageSummary.Type

/** The repository, and the server whose dashboard shows its tests. */
export interface Place extends Repository.RepositoryRef {
  readonly url: string
}

/** The exit code of a conclusion: 0 when nothing blocks, else {@link ExitCode.failing}. */
export const exitCodeOf = ({ conclusion }: Pick<Summary, "conclusion">): number =>
  conclusion === "failure" ? ExitCode.failing : ExitCode.done

/**
 * One line for each test that failed.
 *
 * **Details**
 *
 * `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit-22 · https://…`; the line of a failure that passes the
 * gate begins with `○` and says why it passes. Failures of several jobs are named with their jobs, `(unit, e2e)`; jobs that say
 * something else about the same test follow after a semicolon. A cause that it shares with other tests comes before the address.
 */
export const lines = (terminal: Terminal, place: Place, failures: ReadonlyArray<Failure>): string => {
  const hasSeveralJobs = new Set(failures.map(jobOf)).size > 1
  return [...grouped(failures, ({ test_id }) => test_id).values()]
    .map((ofTest) => {
      const texts = [...grouped(ofTest, textOf)].map(
        ([text, alike]) => `${text}${hasSeveralJobs ? ` (${jobsOf(alike, failures)})` : ""}`
      )
      const worst = ofTest.find(({ is_blocking }) => is_blocking) ?? ofTest[0]
      if (worst === undefined) return ""
      const mark = paint(terminal, colourOf(worst), worst.is_blocking ? "✗" : "○")
      const [first, ...others] = texts
      const rest = others.map((each) => each.replace(`${plain(worst.test_name)}: `, ""))
      return `${mark} ${[first, ...rest].join("; ")}${sharedOf(worst)} · ${linkOf(place, worst)}`
    })
    .join("\n")
}

/** As `Map.groupBy`, which Node 20 does not have. */
const grouped = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) {
    const key = keyOf(one)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return groups
}

const textOf = (failure: Failure): string => `${plain(failure.line)}${passes(failure)}`

const jobOf = ({ job_name, pipeline_name }: Failure): string => `${pipeline_name}\0${job_name}`

/** The jobs of failures, each with its pipeline where a job of another pipeline has the same name. */
const jobsOf = (failures: ReadonlyArray<Failure>, all: ReadonlyArray<Failure>): string => {
  const named = ({ job_name: job, pipeline_name: pipeline }: Failure): string =>
    all.some((other) => other.job_name === job && other.pipeline_name !== pipeline)
      ? `${plain(pipeline)} · ${plain(job)}`
      : plain(job)
  return [...new Set(failures.map(named))].join(", ")
}

/** The names of the tests of which every failure passes the gate. */
export const passing = (failures: ReadonlyArray<Failure>): ReadonlySet<string> => {
  const blocked = new Set(failures.filter((each) => each.is_blocking).map((each) => each.test_name))
  return new Set(failures.map((each) => each.test_name).filter((name) => !blocked.has(name)))
}

/** The failures in the form that a CI system shows. */
export const shown = (place: Place, failures: ReadonlyArray<Failure>): ReadonlyArray<ShownFailure> =>
  failures.map((failure) => ({
    ...judgementOf(place, failure),
    testName: failure.test_name,
    message: failure.message,
    file: failure.file,
    line: null
  }))

/** The text of a verdict in annotations and summaries: the line of the failure without its name. */
export const judgementOf = (place: Place, failure: Failure): Judgement => {
  const start = `${failure.test_name}: `
  const sentence = failure.line.startsWith(start) ? failure.line.slice(start.length) : failure.reason
  return {
    sentence: `${sentence}${passes(failure)}`,
    isBlocking: failure.is_blocking,
    url: linkOf(place, failure)
  }
}

const passes = ({ gate_reason, is_blocking }: Failure): string =>
  is_blocking ? "" : ` (passes: ${plain(gate_reason)})`

const sharedOf = ({ shared_cause: cause }: Failure): string =>
  cause === null || cause.tests < 2 ? "" : `; ${plain(cause.sentence)}`

const linkOf = (place: Place, { test_id }: Failure): string => Dashboard.test(place.url, place, test_id)

const colourOf = ({ is_blocking, verdict }: Failure): Colour =>
  is_blocking ? (verdict === "flaky" || verdict === "outage" ? "yellow" : "red") : "dim"
