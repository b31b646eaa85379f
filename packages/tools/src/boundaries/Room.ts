/**
 * The street map: every package sorts its modules into the same rooms, in the same order, with the same nouns.
 *
 * A module imports from its own room and from the rooms before it. Files directly in `src` put the rooms together: they may
 * import every room. `docs/explanation/architecture.md` prints the table.
 */
import { posix } from "node:path"
import type { Import } from "./ImportRule.ts"
import { isRelative } from "./ModuleImport.ts"

/** The rooms of the subjects, in their order: the same on every floor. `issue` is a room of the domain alone. */
const subjects = [
  "report",
  "health",
  "failure",
  "quarantine",
  "insight",
  "issue",
  "repository",
  "access",
  "events",
  "queue",
  "platform"
] as const

/** The rooms of each package that is sorted by subject: what lies below the subjects, and what lies above them. */
const floors: Readonly<
  Record<string, { readonly below: ReadonlyArray<string>; readonly above: ReadonlyArray<string> }>
> = {
  domain: { below: ["text", "time", "policy", "listing"], above: ["testing"] },
  store: { below: ["driver"], above: ["memory"] },
  "store-conformance": { below: ["law", "driver"], above: [] },
  services: { below: ["ports", "answer", "background"], above: [] },
  api: { below: ["definition"], above: ["system"] },
  http: { below: ["request", "response"], above: ["system"] },
  cli: { below: ["terminal", "ci", "connection"], above: ["mcp", "completion"] }
}

/** The rooms of packages whose subject is one of those above: the parsers have a room per notation. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  ingest: [
    "text",
    "json",
    "xml",
    "report",
    "junit",
    "trx",
    "go",
    "jest",
    "playwright",
    "ctrf",
    "otlp",
    "format",
    "archive",
    "github",
    "gitlab"
  ]
}

/** The imports that go up all the same, each with its reason. */
export const exceptions: ReadonlyArray<{ readonly from: string; readonly to: string; readonly reason: string }> = [
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/quarantine/Automation.ts",
    reason: "a recorded report starts an evaluation by the automation"
  },
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/failure/FirstVerdicts.ts",
    reason: "a recorded report requests the first verdicts on its failures"
  },
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/insight/CauseRounds.ts",
    reason: "a recorded report with failures requests a computation of causes"
  },
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/insight/MissingRounds.ts",
    reason: "a recorded report requests a search for tests that did not run"
  },
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/insight/CostRounds.ts",
    reason: "a recorded report requests a computation of costs"
  },
  {
    from: "packages/services/src/report/Ingestion.ts",
    to: "packages/services/src/insight/SlowerRounds.ts",
    reason: "a recorded report requests a computation of slower tests"
  },
  {
    from: "packages/services/src/repository/Retention.ts",
    to: "packages/services/src/access",
    reason: "one daily round deletes all old data, audit entries and sessions too"
  }
]

/** The rooms of a package in their order; null for a package without rooms of subjects. */
const roomsOf = (folder: string): ReadonlyArray<string> | null => {
  const floor = floors[folder]
  return floor === undefined ? (others[folder] ?? null) : [...floor.below, ...subjects, ...floor.above]
}

/** The sentences for an import that goes up, and for a module in a folder that is not one. */
export const broken = ({ folder, path, specifier }: Import): ReadonlyArray<string> => {
  const rooms = roomsOf(folder)
  const own = roomOf(folder, path)
  if (rooms === null || own === null) return []
  if (!rooms.includes(own)) return [`"${own}" is not a room of ${folder}: its rooms are ${rooms.join(", ")}`]
  if (specifier === null || !isRelative(specifier)) return []
  const target = posix.join(posix.dirname(path), specifier)
  const other = roomOf(folder, target)
  if (other === null || rooms.indexOf(other) <= rooms.indexOf(own)) return []
  const isExcepted = exceptions.some(({ from, to }) => from === path && target.startsWith(to))
  return isExcepted ? [] : [`room "${own}" must not import "${specifier}": room "${other}" lies above it`]
}

/** The room of a module; null for one directly in `src`, and for one that does not lie there. */
const roomOf = (folder: string, path: string): string | null => {
  const below = path.startsWith(`packages/${folder}/src/`) ? path.slice(`packages/${folder}/src/`.length) : ""
  return below.includes("/") ? (below.split("/")[0] ?? null) : null
}
