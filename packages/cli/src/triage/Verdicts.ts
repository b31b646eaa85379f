/**
 * Verdicts on failures as text: lines for a terminal, Markdown for a job summary, annotations of GitHub Actions, and a
 * section and a code quality report of GitLab CI.
 *
 * Texts of tests and messages come from reports: each of these makes them harmless in its own way.
 */
import { createHash } from "node:crypto"
import type { Schemas } from "@lazaret/api"
import * as ExitCode from "../ExitCode.ts"
import { type Colour, paint, plain, type Terminal } from "../Terminal.ts"

/** The verdict on one failure. */
export type Failure = typeof Schemas.JudgedFailure.Type

/** What the verdicts add up to. */
export type Summary = typeof Schemas.TriageSummary.Type

/** Where people read more about a test: the dashboard of the server. */
export interface Place {
  readonly url: string
  readonly owner: string
  readonly repository: string
}

/** The page of the test of a failure. */
export const linkOf = ({ owner, repository, url }: Place, { test_id }: Pick<Failure, "test_id">): string =>
  `${url.replace(/\/+$/u, "")}/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}/tests/${test_id}`

/** The exit code of a conclusion: 0 when nothing blocks, else {@link ExitCode.failing}. */
export const exitCodeOf = ({ conclusion }: Pick<Summary, "conclusion">): number =>
  conclusion === "failure" ? ExitCode.failing : ExitCode.done

/**
 * One line for each failure, and the sentence of the summary after them.
 *
 * **Details**
 *
 * `Cart > sorts: flaky (96 %): passed on this commit in job unit-22 · https://…`; a failure that passes the gate says why.
 */
export const lines = (
  terminal: Terminal,
  place: Place,
  { failures, summary }: { readonly failures: ReadonlyArray<Failure>; readonly summary: Summary }
): string => [...failures.map((failure) => lineOf(terminal, place, failure)), plain(summary.sentence)].join("\n")

const lineOf = (terminal: Terminal, place: Place, failure: Failure): string => {
  const mark = paint(terminal, colourOf(failure), failure.is_blocking ? "✗" : "○")
  const passes = failure.is_blocking ? "" : ` (passes: ${plain(failure.gate_reason)})`
  return `${mark} ${plain(failure.line)}${passes} · ${linkOf(place, failure)}`
}

const colourOf = ({ is_blocking, verdict }: Failure): Colour =>
  is_blocking ? (verdict === "flaky" || verdict === "outage" ? "yellow" : "red") : "dim"

/** How many rows a summary shows: GitHub Actions refuses summaries above 1 MiB. */
const mostRows = 100

const titles: { readonly [V in Failure["verdict"]]: string } = {
  new_failure: "new failure",
  new_test: "new test",
  undecided: "undecided",
  broken_on_base: "broken on the base branch",
  outage: "outage",
  flaky: "flaky"
}

/** The verdicts as Markdown, for the summary of a job; empty without failures. */
export const markdown = (place: Place, failures: ReadonlyArray<Failure>, summary: Summary): string => {
  if (failures.length === 0) return ""
  const rows = failures.slice(0, mostRows).map((failure) => {
    const name = `[${cell(failure.test_name)}](${linkOf(place, failure)})`
    const log = failure.job_url === null ? "" : ` ([log](${encodeURI(failure.job_url)}))`
    const gate = failure.is_blocking ? "stops" : `passes: ${cell(failure.gate_reason)}`
    return `| ${titles[failure.verdict]} | ${name} | ${cell(failure.reason)}${log} | ${gate} |`
  })
  const more = failures.length > mostRows ? [`\n${failures.length - mostRows} more failures are not shown.`] : []
  return [
    `### ${cell(summary.sentence)}`,
    "",
    "| Verdict | Test | Why | Gate |",
    "| --- | --- | --- | --- |",
    ...rows,
    ...more,
    ""
  ].join("\n")
}

/** The longest text in a cell. */
const longestCell = 300

/** Text as one cell of a table: no markup, link, mention or line break. */
const cell = (text: string): string => {
  const short = [...plain(text)].slice(0, longestCell).join("")
  return (short.length < plain(text).length ? `${short}…` : short)
    .replaceAll(/[\\`*_{}[\]()#+|~<>!]/g, String.raw`\$&`)
    .replaceAll("@", "@\u200B")
}

/** How many annotations are written: GitHub Actions shows ten of each kind for a step. */
const mostAnnotations = 10

/**
 * Workflow commands of GitHub Actions, one for each failure: an error for one that blocks, a notice for the others.
 *
 * **Gotchas**
 *
 * These lines are commands: print them to the output of the process itself, and never a text that was not made here.
 */
export const annotations = (failures: ReadonlyArray<Failure>): ReadonlyArray<string> =>
  [true, false].flatMap((isBlocking) =>
    failures
      .filter(({ is_blocking }) => is_blocking === isBlocking)
      .slice(0, mostAnnotations)
      .map((failure) => {
        const file = failure.file === null ? "" : `file=${property(failure.file)},`
        const title = property(`${failure.test_name}: ${titles[failure.verdict]}`)
        const text = failure.message === null ? failure.reason : `${failure.reason}\n${failure.message}`
        return `::${isBlocking ? "error" : "notice"} ${file}title=${title}::${value(text)}`
      })
  )

const value = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll(lineBreaks, " ")

const property = (text: string): string => value(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** Every other character that a reader of lines could take for the end of one. */
const lineBreaks = /[\v\f\u0085\u2028\u2029]/g

/** Lines in a section of the log of GitLab CI that a click folds; `at` is in seconds. */
export const gitLabSection = (text: string, at: number): string =>
  [
    `\u001B[0Ksection_start:${at}:lazaret_failures\r\u001B[0KWhose failures are these?`,
    text,
    `\u001B[0Ksection_end:${at}:lazaret_failures\r\u001B[0K`
  ].join("\n")

/** The verdicts as a code quality report of GitLab: what blocks is major, everything else is information. */
export const codeQuality = (failures: ReadonlyArray<Failure>): ReadonlyArray<unknown> =>
  failures.map((failure) => ({
    description: plain(failure.line),
    check_name: `lazaret/${failure.verdict}`,
    fingerprint: createHash("sha256")
      .update([failure.test_name, failure.pipeline_name, failure.job_name].join("\0"))
      .digest("hex"),
    severity: failure.is_blocking ? "major" : "info",
    location: { path: failure.file ?? failure.test_name, lines: { begin: 1 } }
  }))
