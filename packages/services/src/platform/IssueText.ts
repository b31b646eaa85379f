/** The text of the issue of a test. Names and messages of tests come from reports: they are code, and change nothing around them. */
import {
  type Failure,
  Instant,
  type IssueDecision,
  type Redaction,
  type Repository,
  type TestId,
  TestIssue
} from "@lazaret/domain"
import * as Markdown from "../answer/Markdown.ts"

/** The beginning of every issue of ours. */
export const marker = "<!-- lazaret:issue "

const markerOf = (name: string): string => `${marker}${name} -->`

/** The test of an issue with this text, null where it names none: a duplicate, and the issue of a deleted test. */
export const testIdIn = (body: string): TestId.TestId | null =>
  /^<!-- lazaret:issue ([0-9a-f-]{36}) -->/u.exec(body)?.[1] ?? null

/** The facts that an issue is written from; `failed` of `executions` in the last 30 days. */
export interface ShownTest extends TestIssue.Content {
  readonly testId: TestId.TestId
  readonly testName: string
  readonly fact: IssueDecision.Fact
  readonly failed: number
  readonly executions: number
  readonly lastFailure: Failure.Failure | null
}

/** The needs of a text besides its facts: the repository, the public address of the service or null, and the removal of secrets. */
export interface Setting {
  readonly ref: Repository.RepositoryRef
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/** A text of an issue. */
export interface IssueText {
  readonly title: string
  readonly body: string
}

/** The text of an issue about these facts. The title is plain text without mentions, and the same for every status. */
export const of = (shown: ShownTest, setting: Setting): IssueText => {
  const { redact } = setting
  const name = redact(shown.testName)
  const parts = [
    markerOf(shown.testId),
    `${Markdown.link(Markdown.code(name), testUrl(setting, shown.testId))} ${stateOf(shown)}`,
    list(shown, setting),
    ...messageOf(shown, redact),
    ...groupOf(shown, redact),
    "Lazaret updates this issue in place, and closes it when the test is healthy again. It reopens an issue that a person has " +
      "closed only after a failure on a newer commit."
  ]
  return { title: cut(`Unhealthy test: ${plain(name)}`, mostTitle), body: parts.join("\n\n") }
}

/** The text of an issue whose test was deleted: neither name nor message of the test is left in it. */
export const deleted: IssueText = {
  title: "Deleted test",
  body: `${markerOf("deleted")}\n\nThe test of this issue was deleted in Lazaret.`
}

/** The text of an issue that was written twice. */
export const duplicateOf = (issue: string): string =>
  `${markerOf("duplicate")}\n\nThis issue was written twice: see #${issue.replaceAll(/\D/gu, "")}.`

/** The accounts among owners: a team cannot be assigned. */
export const assigneesAmong = (owners: ReadonlyArray<string>): ReadonlyArray<string> =>
  owners.flatMap((owner) => /^@([A-Za-z0-9][A-Za-z0-9-]{0,38})$/u.exec(owner)?.[1] ?? [])

const mostTitle = 240

/** GitHub's limit of 256 counts UTF-16 units. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  let short = ""
  for (const point of text) {
    if (short.length + point.length >= most) break
    short += point
  }
  return `${short}…`
}

// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const unprinted = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

const plain = (text: string): string => text.replaceAll(unprinted, " ").replaceAll(/[@#]/gu, (mark) => `${mark}\u200b`)

const stateOf = ({ executions, fact: { commit, since }, failed, status }: ShownTest): string => {
  const day = Instant.toIso(since).slice(0, 10)
  if (status === null) return "has not run on the default branch for 30 days."
  if (status === "healthy") return `is **healthy** again since ${day}.`
  const on = commit === null ? "" : `; it first failed on commit ${Markdown.code(commit.slice(0, 12))}`
  const rate = executions === 0 ? "" : ` In the last 30 days ${failed} of ${executions} executions failed.`
  return `is **${status}** on the default branch since ${day}${on}.${rate}`
}

const list = ({ impact, owners, quarantine }: ShownTest, { redact }: Setting): string =>
  [
    ...(impact === null ? [] : [`- Impact: ${impact}`]),
    quarantine === null
      ? "- Not in quarantine: its failures block."
      : `- In quarantine${quarantine === "" ? "" : `: ${Markdown.prose(redact(quarantine))}`}`,
    ...(owners.length === 0 ? [] : [`- Owned by ${owners.slice(0, mostOwners).map(ownerOf).join(", ")}`])
  ].join("\n")

const mostOwners = 10

/** A team is mentioned, because it cannot be assigned; people get the issue assigned. */
const ownerOf = (owner: string): string => (/^@[A-Za-z0-9-]+\/[\w.-]+$/u.test(owner) ? owner : Markdown.code(owner, 80))

const messageOf = ({ lastFailure }: ShownTest, redact: Redaction.Redact): ReadonlyArray<string> => {
  if (lastFailure === null) return []
  const { exceptionMessage, exceptionType, lastFailureAt } = lastFailure
  const text = redact(`${exceptionType}: ${exceptionMessage}`)
  return [`The last failure, ${Instant.toIso(lastFailureAt).slice(0, 10)}:`, Markdown.block(text)]
}

const groupOf = ({ cause, group }: ShownTest, redact: Redaction.Redact): ReadonlyArray<string> => {
  if (group.length === 0) return []
  const names = group.slice(0, mostNames).map((name) => `- ${Markdown.code(redact(name))}`)
  const rest = group.length - names.length
  const more = rest === 0 ? [] : [`- and ${rest} more`]
  return [`${othersOf(group.length, cause === null ? null : redact(cause.name))}:`, [...names, ...more].join("\n")]
}

const othersOf = (count: number, cause: string | null): string => {
  const [tests, have, own] = count === 1 ? ["1 other test", "has", "its"] : [`${count} other tests`, "have", "their"]
  const why =
    cause === null
      ? "began to fail with the same commit, and"
      : `${have} the same cause (${Markdown.code(cause, 250)}), and`
  return `${tests} ${why} ${have} no issue of ${own} own`
}

const mostNames = 20

const testUrl = ({ publicUrl, ref: { owner, repository } }: Setting, testId: string): string | null =>
  publicUrl === null
    ? null
    : `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}/tests/${testId}`
