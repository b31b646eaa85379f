/** Settings while they are edited: every field as its text, and the change that they add up to. */
import type { Wire } from "@lazaret/api"
import { type Field, isShare, policies } from "./Policies.ts"

type Settings = Wire.RepositorySettings

/** The text of each field under its path in the body: `default_branch`, `health.clean_passes`. */
export type Draft = Readonly<Record<string, string>>

const numbersOf = (settings: Settings): ReadonlyArray<readonly [string, string]> =>
  policies.flatMap((policy) =>
    policy.fields.map((field) => {
      const { name } = field
      const path = `${policy.name}.${name}`
      // A number that nobody has set shows as empty, with the default behind it.
      return [path, settings.overridden.includes(path) ? textOf(field, settings[policy.name][name] ?? 0) : ""] as const
    })
  )

/** Shares are edited in per cent; the digits that binary fractions add are left out. */
const textOf = (field: Field, value: number): string =>
  String(isShare(field) ? Number((value * 100).toPrecision(12)) : value)

const shares = new Set(
  policies.flatMap((policy) => policy.fields.filter(isShare).map(({ name }) => `${policy.name}.${name}`))
)

/** The values of the fields before anybody has typed. */
export const of = (settings: Settings): Draft => ({
  default_branch: settings.default_branch ?? "",
  repository_url: settings.repository_url ?? "",
  flaky_detection: String(settings.flaky_detection),
  auto_quarantine: settings.auto_quarantine,
  auto_removal: settings.auto_removal === null ? "" : String(settings.auto_removal),
  badge: String(settings.badge),
  flakiness_evidence: settings.flakiness_evidence,
  issues: settings.issues,
  issue_labels: settings.issue_labels.join(", "),
  issues_by: settings.issues_by,
  notifications_by: settings.notifications_by,
  pull_request_comments: settings.pull_request_comments,
  quarantine_reason: settings.quarantine_reason,
  ...Object.fromEntries(gateOf(settings)),
  ...Object.fromEntries(numbersOf(settings))
})

/** Every field of the gate: never is an empty text. */
const gateOf = ({ gate }: Settings): ReadonlyArray<readonly [string, string]> =>
  Object.entries(gate).map(([name, value]) => [`gate.${name}`, value === null ? "" : String(value)])

const valueOf = (path: string, text: string): unknown => {
  if (text.trim() === "") return null
  if (text === "true" || text === "false") return text === "true"
  if (path === "issue_labels")
    return text
      .split(",")
      .map((label) => label.trim())
      .filter((label) => label !== "")
  if (!path.includes(".")) return text.trim()
  const number = Number(text)
  // Other text is sent unchanged: the server reports the error next to the field.
  if (Number.isNaN(number)) return text
  return shares.has(path) ? Number((number / 100).toPrecision(12)) : number
}

/** The body that changes what differs, null when nothing does; an empty field brings its default back. */
export const changeOf = (before: Draft, after: Draft): Readonly<Record<string, unknown>> | null => {
  const body: Record<string, unknown> = {}
  for (const [path, text] of Object.entries(after)) {
    if (text.trim() === before[path]) continue
    const [first = "", second] = path.split(".")
    const value = valueOf(path, text)
    body[first] = second === undefined ? value : { ...(body[first] as object | undefined), [second]: value }
  }
  return Object.keys(body).length === 0 ? null : body
}
