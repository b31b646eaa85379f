/** `lazaret repo`: list, show, set, trend, refold, remove. */
import type { Schemas } from "@lazaret/api"
import { Effect, Predicate, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Connection from "../connection/Connection.ts"
import * as Dashboard from "../connection/Dashboard.ts"
import * as Faults from "../terminal/Faults.ts"
import * as Flags from "../connection/Flags.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { paint, plain, type Terminal } from "../terminal/Terminal.ts"
import * as RepoTrend from "./RepoTrend.ts"

type Row = (typeof Schemas.RepositoriesPage.Type)["repositories"][number]

type Settings = typeof Schemas.Settings.Type

/** Every repository that the key reaches. */
export const all = (session: Session.Session) =>
  session.list({
    subject: null,
    key: "repositories",
    most: Number.POSITIVE_INFINITY,
    page: (api, query) => api.listRepositories({ query, ...both })
  })

const list = Command.make(
  "list",
  Flags.server,
  Effect.fn("lazaret.repo.list")(function* (given) {
    const { entries, json } = yield* all(yield* Session.open(given))
    const rows = entries.map(({ row }) => row)
    yield* Session.print(given, json(entries, { per_page: null }), (terminal) =>
      rows.length === 0 ? "there is no repository yet" : Table.make(terminal, columns, rows)
    )
  })
).pipe(
  Command.withDescription("List the repositories of the key."),
  Command.withShortDescription("List repositories"),
  Command.withExamples([{ command: "lazaret repo list", description: "List repositories" }])
)

const columns: ReadonlyArray<Table.Column<Row>> = [
  { heading: "repository", cell: Session.nameOf },
  { heading: "default branch", cell: ({ default_branch }) => default_branch ?? "main or master", canShrink: true },
  { heading: "since", cell: ({ created_at }) => Session.dayOf(created_at) }
]

const show = Command.make(
  "show",
  Flags.ofRepository,
  Effect.fn("lazaret.repo.show")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getSettings({ params, ...both }))
    yield* Session.print(given, body, (terminal) => settingsOf(terminal, value))
  })
).pipe(
  Command.withDescription("Show the settings of a repository and every number of its policies."),
  Command.withShortDescription("Show the settings"),
  Command.withExamples([{ command: "lazaret repo show --repo acme/widgets", description: "Show the settings" }])
)

const set = Command.make(
  "set",
  {
    ...Flags.ofRepository,
    assignments: Argument.String("name=value").pipe(
      Argument.withDescription("A setting as repo show names it; the value default restores the default"),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fn("lazaret.repo.set")(function* (given) {
    const change = yield* changeOf(given.assignments)
    const { name, params, session } = yield* Session.ofRepository(given)
    const payload = yield* decodedChange(change)
    const { body, value } = yield* session.call(name, (api) => api.changeSettings({ params, payload, ...both }))
    const names = pathsOf(change)
    const isSet = (setting: string) => names.some((each) => each === setting || setting.startsWith(`${each}.`))
    yield* Session.print(given, body, (terminal) =>
      [settingsOf(terminal, value, isSet), ...(names.some(isOfAutomation) ? ["", automationOf(value)] : [])].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Change the settings of a repository. When one of them is invalid, nothing changes. Changed numbers apply to the " +
      "whole kept history at once."
  ),
  Command.withShortDescription("Change the settings"),
  Command.withExamples([
    {
      command: "lazaret repo set --repo acme/widgets auto_quarantine=flaky health.clean_passes=20",
      description: "Quarantine flaky tests automatically, and require 20 clean passes for recovery"
    }
  ])
)

type Change = Record<string, unknown>

/** `name=value`, or `policy.name=value`. */
const changeOf = Effect.fnUntraced(function* (assignments: ReadonlyArray<string>) {
  const change: Change = {}
  const policies = new Map<string, Change>()
  for (const assignment of assignments) {
    const [, group, name = "", value = ""] = /^(?:([a-z_]+)\.)?([a-z_]+)=(.*)$/s.exec(assignment) ?? []
    if (name === "") {
      return yield* CommandFailure.usage(
        `"${plain(assignment)}" is not a setting: write name=value, such as auto_quarantine=flaky or health.clean_passes=20.`
      )
    }
    const into = group === undefined ? change : (policies.get(group) ?? {})
    into[name] = valueOf(name, value)
    if (group !== undefined) policies.set(group, into)
  }
  const contradictory = [...policies.keys()].find((group) => group in change)
  if (contradictory !== undefined) {
    return yield* CommandFailure.usage(`${contradictory} is set as a whole and in parts: choose one of the two.`)
  }
  return { ...change, ...Object.fromEntries(policies) }
})

/** The change by the schema of the API, whose sentences name each fault. */
const decodedChange = Effect.fnUntraced(function* (change: Change) {
  const { Schemas: schemas } = yield* load(() => import("@lazaret/api"))
  return yield* Effect.mapError(Schema.decodeUnknownEffect(schemas.ChangeSettings)(change, parsing), (error) =>
    CommandFailure.usage(`${Faults.of(error)}.${adviceOnNames(change, namesOf(schemas.Settings))}`)
  )
})

/** The place of the names, when the change has one that does not exist: those of its policy, when that exists. */
const adviceOnNames = (change: Change, known: ReadonlyArray<string>): string => {
  const unknown = pathsOf(change).find((path) => !known.includes(path) && !known.some(isWithin(path)))
  if (unknown === undefined) return ""
  const policy = known.filter(isWithin(unknown.replace(/\..*/s, "")))
  return policy.length === 0 ? " lazaret repo show lists the settings." : ` The settings are ${policy.join(", ")}.`
}

/** The names of the settings: `auto_quarantine`, `health.clean_passes`. */
const namesOf = ({ fields }: typeof Schemas.Settings): ReadonlyArray<string> =>
  Object.entries(fields)
    .filter(([name]) => name !== "overridden")
    .flatMap(([name, field]) =>
      "fields" in field ? Object.keys(field.fields).map((each) => `${name}.${each}`) : [name]
    )

const isWithin = (group: string) => (name: string) => name.startsWith(`${group}.`)

const pathsOf = (change: Change): ReadonlyArray<string> =>
  Object.entries(change).flatMap(([name, value]) =>
    Predicate.isObject(value) ? Object.keys(value).map((each) => `${name}.${each}`) : [name]
  )

const parsing = { errors: "all", onExcessProperty: "error" } as const

/** `default` restores the default. A branch is text, whatever it looks like. */
const valueOf = (name: string, value: string): unknown => {
  if (value === "default") return null
  if (name === "default_branch") return value
  return Result.getOrElse(
    Result.try(() => JSON.parse(value)),
    () => value
  )
}

const isOfAutomation = (name: string): boolean => name.startsWith("auto_")

/** When the automation acts from now on, and how far it goes. */
const automationOf = (settings: Settings): string => {
  const { auto_quarantine: into, auto_quarantine_policy: policy, quarantine } = settings
  const isReleasing = settings.auto_removal ?? into !== "off"
  if (into === "off" && !isReleasing) return "Tests are quarantined and released by people only."
  const when = "All tests are evaluated at once, then every hour; the tests of an upload also after it."
  const ends =
    quarantine["expiry_days"] === 0 ? "never end by themselves" : `end after ${quarantine["expiry_days"]} days`
  const start =
    into === "off"
      ? []
      : [
          `In 24 hours at most ${policy["budget"]} tests are quarantined, or ${percentOf(policy["budget_share"])} of the active tests if that is more. ` +
            `Quarantines ${ends} (quarantine.expiry_days).`
        ]
  const stress = policy["stress_runs"] === 0 ? "" : `, or after ${policy["stress_runs"]} clean runs of lazaret stress`
  const end = isReleasing ? [`A test is released ${policy["removal_days"]} days after it has recovered${stress}.`] : []
  return [when, ...start, ...end, "What it did: lazaret events --type quarantine.created"].join("\n")
}

const percentOf = (share: number | undefined): string => `${Math.round((share ?? 0) * 10_000) / 100} %`

const settingsOf = (terminal: Terminal, settings: Settings, isShown = (_name: string) => true): string =>
  Table.fields(
    Object.entries(settings)
      .filter(([name]) => name !== "overridden")
      .flatMap(([name, value]) => linesOf(name, value))
      .filter(([name]) => isShown(name))
      .map(([name, value]) => [
        name,
        settings.overridden.includes(name) ? `${paint(terminal, "bold", value)}  (set here)` : value
      ])
  )

const linesOf = (name: string, value: unknown): ReadonlyArray<readonly [string, string]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([field, each]) => [`${name}.${field}`, plain(String(each))])
    : [[name, value === null ? (unset[name] ?? "not set") : plain(String(value))]]

/** The effective value of a setting that is not set. */
const unset: Readonly<Record<string, string>> = {
  default_branch: "main or master",
  repository_url: "found from uploads",
  auto_removal: "as auto_quarantine"
}

const trend = Command.make(
  "trend",
  Flags.ofRepository,
  Effect.fn("lazaret.repo.trend")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { url } = yield* Connection.resolve(given)
    const { body, value } = yield* session.call(name, (api) => api.getTrend({ params, ...both }))
    yield* Session.print(given, body, () => `${RepoTrend.text(value)}\n\n${Dashboard.repository(url, params)}`)
  })
).pipe(
  Command.withDescription(
    "Show the last 30 days of the default branch: flaky, broken and quarantined tests, red job runs, and the time of those that " +
      "flaky tests alone made red."
  ),
  Command.withShortDescription("Show the last 30 days"),
  Command.withExamples([{ command: "lazaret repo trend --repo acme/widgets", description: "Show the last 30 days" }])
)

const refold = Command.make(
  "refold",
  Flags.ofRepository,
  Effect.fn("lazaret.repo.refold")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body } = yield* session.call(name, (api) => api.refoldRepository({ params, ...both }))
    yield* Session.print(given, body, () => `${name} is recomputed`)
  })
).pipe(
  Command.withDescription("Recompute all verdicts of a repository from its kept executions. Uploads stay possible."),
  Command.withShortDescription("Recompute a repository"),
  Command.withExamples([{ command: "lazaret repo refold --repo acme/widgets", description: "Recompute acme/widgets" }])
)

const remove = Command.make(
  "remove",
  {
    ...Flags.ofRepository,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Delete it: without this flag nothing is deleted"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("lazaret.repo.remove")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    yield* session.call(name, (api) => api.getSettings({ params, ...both }))
    if (!given.force) {
      return yield* CommandFailure.usage(
        `${name} would be deleted with its reports, tests, quarantines and settings, for good. Give --force to delete it.`
      )
    }
    yield* session.call(name, (api) => api.removeRepository({ params, payload: { confirm: name }, ...both }))
    yield* Session.print(given, { removed: name }, () => `${name} is deleted`)
  })
).pipe(
  Command.withDescription(
    "Delete a repository with all its data. This cannot be undone. A later upload creates a new repository."
  ),
  Command.withShortDescription("Delete a repository"),
  Command.withExamples([
    { command: "lazaret repo remove --repo acme/widgtes --force", description: "Delete a misspelt repository" }
  ])
)

/** Lists repositories, shows their settings and their trend, changes, recomputes and deletes them. */
export const command = Command.make("repo").pipe(
  Command.withDescription(
    "List repositories, show and change their settings, show their last 30 days, recompute their verdicts, and delete them."
  ),
  Command.withShortDescription("List and configure repositories"),
  Command.withSubcommands([list, show, set, trend, refold, remove])
)
