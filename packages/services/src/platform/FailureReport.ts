/** How the verdicts on the failures of a commit read where people look: as a check and as a comment. Pure. */
import { type FailureSummary, FailureVerdict, Ownership, type Redaction, type Repository, Text } from "@lazaret/domain"
import type { Annotation, CommitReport } from "../ports/Forge.ts"
import type { NamesByFile } from "../health/Owners.ts"
import * as Markdown from "../answer/Markdown.ts"

/**
 * The verdicts on the failures of a commit: the most important ones, the number of all, the summary of all, and the names
 * under which their tests are found by owner; `stressed` is a sentence on the tests that ran again and again, null without one.
 */
export interface CommitFailures {
  readonly commit: string
  readonly failures: ReadonlyArray<FailureVerdict.FailureVerdict>
  readonly total: number
  readonly summary: FailureSummary.FailureSummary
  readonly owners?: NamesByFile
  readonly stressed?: string | null
}

/** A failure as it is shown, with the names under which its test is found by owner. */
interface Shown extends FailureVerdict.FailureVerdict {
  readonly owners: ReadonlyArray<string>
}

/**
 * The needs of a rendering besides the verdicts: the repository, the public address of the service (null when it is not
 * known: then there are no links to it), and the removal of secrets.
 */
export interface Setting {
  readonly ref: Repository.RepositoryRef
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/** The name of the check. */
export const checkName = "Lazaret"

/** The beginning of every comment of ours. */
export const marker = "<!-- lazaret:failures -->"

/** The buttons of a check; GitHub allows 20 characters for a name and 40 for what it does. */
export const actions = {
  rerun: {
    id: "rerun_failed_jobs",
    label: "Rerun failed jobs",
    description: "Run the failed jobs of this commit again"
  },
  quarantine: {
    id: "quarantine_flaky",
    label: "Quarantine flaky",
    description: "Quarantine the flaky tests of this list"
  }
} as const

/** Whether a text is the id of one of the buttons. */
export const isAction = (id: string): boolean => Object.values(actions).some((action) => action.id === id)

/** The failures that the button to quarantine is about, each test once. */
export const quarantinable = ({ failures }: CommitFailures): ReadonlyArray<FailureVerdict.FailureVerdict> => [
  ...new Map(failures.filter(isFlaky).map((failure) => [failure.testName, failure])).values()
]

const isFlaky = ({ quarantined, verdict }: FailureVerdict.FailureVerdict): boolean =>
  verdict === "flaky" && !quarantined

/**
 * The check of a commit.
 *
 * **Details**
 *
 * The conclusion is null while jobs are running, unless a failure blocks already. Without failures it is one sentence. What a stress run
 * found is a line of its own, and no part of the conclusion: its failures are among the others.
 */
export const check = (judged: CommitFailures, setting: Setting): CommitReport => {
  const { commit, summary } = judged
  const failures = shown(judged, rowsOfCheck, setting)
  const isRunning = !summary.complete && summary.conclusion !== "failure"
  return {
    name: checkName,
    commit,
    conclusion: isRunning ? null : summary.conclusion,
    title: summary.sentence,
    summary: [
      failures.length === 0 ? summary.sentence : table(failures, { all: judged.total, setting }),
      ...stressLines(judged)
    ].join("\n\n"),
    annotations: failures.flatMap(annotationOf),
    actions: actionsFor(failures),
    url: commitUrl(setting, commit)
  }
}

/** The comment on a pull request about failures of its head commit. */
export const comment = (judged: CommitFailures, setting: Setting): string => {
  const failures = shown(judged, rowsOfComment, setting)
  const { commit, summary } = judged
  const link = Markdown.link(Markdown.code(commit.slice(0, 12)), commitUrl(setting, commit))
  const footer = `Commit ${link}. This comment follows the last commit.`
  const list = failures.length === 0 ? [] : [table(failures, { all: judged.total, setting })]
  return [marker, `**${Markdown.prose(summary.sentence)}**`, ...list, ...stressLines(judged), footer].join("\n\n")
}

const stressLines = ({ stressed = null }: CommitFailures): ReadonlyArray<string> =>
  stressed === null ? [] : [stressed]

const actionsFor = (failures: ReadonlyArray<FailureVerdict.FailureVerdict>): CommitReport["actions"] => {
  if (failures.length === 0) return []
  return failures.some(isFlaky) ? [actions.rerun, actions.quarantine] : [actions.rerun]
}

// --- order -------------------------------------------------------------------------------------------------------

const sorted = (failures: ReadonlyArray<FailureVerdict.FailureVerdict>) =>
  failures.toSorted(
    (a, b) =>
      FailureVerdict.listed.indexOf(a.verdict) - FailureVerdict.listed.indexOf(b.verdict) ||
      Number(b.isBlocking) - Number(a.isBlocking) ||
      Text.compare(a.testName, b.testName) ||
      Text.compare(a.pipelineName, b.pipelineName) ||
      Text.compare(a.jobName, b.jobName)
  )

/** The first failures without secrets: those go before anything is cut or quoted, half of a secret has another form. */
const shown = ({ failures, owners }: CommitFailures, most: number, { redact }: Setting): ReadonlyArray<Shown> =>
  sorted(failures)
    .slice(0, most)
    .map((failure) => ({
      ...redacted(failure, redact),
      owners: (owners?.get(failure.file) ?? []).map(redact)
    }))

const redacted = (failure: FailureVerdict.FailureVerdict, redact: Redaction.Redact): FailureVerdict.FailureVerdict => ({
  ...failure,
  testName: redact(failure.testName),
  pipelineName: redact(failure.pipelineName),
  jobName: redact(failure.jobName),
  title: redact(failure.title),
  reason: redact(failure.reason),
  gateReason: redact(failure.gateReason),
  line: redact(failure.line),
  message: failure.message === null ? null : redact(failure.message),
  exceptionType: failure.exceptionType === null ? null : redact(failure.exceptionType),
  file: failure.file === null ? null : redact(failure.file),
  jobUrl: failure.jobUrl === null ? null : redact(failure.jobUrl)
})

// --- table -------------------------------------------------------------------------------------------------------

/** The platforms take 65,535 characters; Markdown of ours is ASCII for the most part. */
const mostCharacters = 60_000

const rowsOfCheck = 100
const rowsOfComment = 20

interface Table {
  readonly all: number
  readonly setting: Setting
}

/** The table with as many rows as fit, and the messages below it as long as there is room. */
const table = (failures: ReadonlyArray<Shown>, { all, setting }: Table): string => {
  const isOwned = failures.some(({ owners }) => owners.length > 0)
  const titles = ["Verdict", "Test", ...(isOwned ? ["Owner"] : []), "Job", "Why"]
  const head = `| ${titles.join(" | ")} |\n|${" --- |".repeat(titles.length)}`
  let left = mostCharacters
  const rows = failures
    .map((failure) => rowOf(failure, isOwned, setting))
    .filter((row) => {
      left -= row.length + 1
      return left > 0
    })
  const rest = all - rows.length
  const more = rest === 0 ? [] : [`${rest} more ${rest === 1 ? "failure is" : "failures are"} not listed.`]
  return [[head, ...rows].join("\n"), ...more, ...messages(failures.slice(0, rows.length), left)].join("\n\n")
}

/** Owners are code: as plain text each of them would get a notification. */
const rowOf = (failure: Shown, isOwned: boolean, setting: Setting): string => {
  const { isBlocking, jobName: job, jobUrl } = failure
  const title = Markdown.prose(failure.title)
  const cells = [
    isBlocking ? `**${title}**` : title,
    Markdown.link(Markdown.code(failure.testName), testUrl(setting, failure.testId)),
    ...(isOwned ? [ownerCell(failure)] : []),
    Markdown.link(Markdown.code(job, 80), jobUrl),
    `${Markdown.prose(failure.reason)}${isBlocking ? "" : `; ${Markdown.prose(failure.gateReason)}`}`
  ]
  return `| ${cells.join(" | ")} |`
}

const ownerCell = ({ owners }: Shown): string =>
  owners.map((name) => Ownership.wordsOf(name, (owner) => Markdown.code(owner, 80))).join(" ")

const messages = (failures: ReadonlyArray<FailureVerdict.FailureVerdict>, room: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let left = room
  for (const { exceptionType: type, message, testName: name } of failures) {
    if (message === null || message.trim() === "") continue
    const text = type === null || message.startsWith(type) ? message : `${type}: ${message}`
    const part = `<details><summary>${htmlOf(name)}</summary>\n\n${Markdown.block(text)}\n\n</details>`
    if (part.length + 2 > left) break
    found.push(part)
    left -= part.length + 2
  }
  return found
}

/** Inside of an HTML element Markdown is not read, but mentions are. */
const htmlOf = (name: string): string => {
  const [line = ""] = [
    Markdown.code(name)
      .replaceAll(/^`+ ?| ?`+$/gu, "")
      .replaceAll("\\|", "|")
  ]
  return `<code>${line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</code>`
}

// --- links -------------------------------------------------------------------------------------------------------

const repositoryUrl = ({ publicUrl, ref: { owner, repository } }: Setting): string | null =>
  publicUrl === null ? null : `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`

/** The page of the failures of a commit. */
const commitUrl = (setting: Setting, commit: string): string | null => {
  const base = repositoryUrl(setting)
  return base === null ? null : `${base}/commits/${encodeURIComponent(commit)}`
}

const testUrl = (setting: Setting, testId: string): string | null => {
  const base = repositoryUrl(setting)
  return base === null ? null : `${base}/tests/${testId}`
}

// --- annotations -------------------------------------------------------------------------------------------------

/** A failure at its place in the source, when its report names a file of the repository. */
const annotationOf = (failure: FailureVerdict.FailureVerdict): ReadonlyArray<Annotation> => {
  const path = failure.file === null ? null : inRepository(failure.file)
  if (path === null) return []
  const { isBlocking, message, reason, testName: name, title } = failure
  return [
    {
      path,
      line: lineOf(path, message ?? ""),
      level: isBlocking ? "failure" : "warning",
      title: Array.from(`${title}: ${name}`).slice(0, 250).join(""),
      message: Array.from([`${reason}.`, ...(message === null ? [] : [message])].join("\n\n"))
        .slice(0, 4000)
        .join("")
    }
  ]
}

/** The folders in which the known CI systems check a repository out. */
const checkouts =
  /^(?:\/home\/runner\/work\/[^/]+\/[^/]+|\/__w\/[^/]+\/[^/]+|\/github\/workspace|[A-Za-z]:\/a\/[^/]+\/[^/]+|\/builds\/[^/]+\/[^/]+|\/home\/circleci\/project|\/workspace)\//u

/** The path from the root of the repository; null for a file outside of it. */
const inRepository = (file: string): string | null => {
  const path = file.replaceAll("\\", "/").replace(checkouts, "").replace(/^\.\//u, "")
  return /^(?:\/|[A-Za-z]:\/|\w+:\/\/)|(?:^|\/)\.\.(?:\/|$)/u.test(path) || path === "" ? null : path
}

/** The line that the message names for the file, else the first one. */
const lineOf = (path: string, message: string): number => {
  const name = path.split("/").at(-1) ?? path
  const at = message.indexOf(`${name}:`)
  const line = at < 0 ? Number.NaN : Number.parseInt(message.slice(at + name.length + 1, at + name.length + 9), 10)
  return line >= 1 ? line : 1
}
