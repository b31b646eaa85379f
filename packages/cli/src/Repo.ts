/** What `lazaret repo list`, `show` and `set` do. */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import * as Table from "./Table.ts"
import { paint, plain, type Terminal } from "./Terminal.ts"

/** What was given to `show` and `set`. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

const Row = open({
  owner: Schema.String,
  repository: Schema.String,
  default_branch: Schema.NullOr(Schema.String),
  created_at: Schema.String
})

const Page = Schema.Struct({ repositories: Schema.Array(Row) })

const Settings = open({ overridden: Schema.Array(Schema.String) })

type Settings = typeof Settings.Type

/** Lists the repositories that the key reaches. */
export const list = Effect.fn("lazaret.repo.list")(function* (given: Session.Given) {
  const session = yield* Session.open(given)
  const { rows } = yield* session.list({
    request: HttpClientRequest.get("/v1/repositories"),
    answer: Page,
    subject: null,
    rows: ({ repositories }) => repositories,
    most: Number.POSITIVE_INFINITY
  })
  const answer = { size: rows.length, per_page: null, repositories: rows, total: rows.length }
  yield* Session.print(given, answer, (terminal) =>
    rows.length === 0 ? "there is no repository yet" : Table.make(terminal, columns, rows)
  )
})

/** Shows what is set for a repository. */
export const show = Effect.fn("lazaret.repo.show")(function* (given: Given) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const settings = yield* session.call({
    request: HttpClientRequest.get(`${Session.pathOf(ref)}/settings`),
    answer: Settings,
    subject: Session.nameOf(ref)
  })
  yield* Session.print(given, settings, (terminal) => textOf(terminal, settings))
})

/** Changes what is set for a repository. */
export const set = Effect.fn("lazaret.repo.set")(function* (
  given: Given & { readonly assignments: ReadonlyArray<string> }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const change = yield* changeOf(given.assignments)
  const session = yield* Session.open(given)
  const settings = yield* session.call({
    request: HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.patch(`${Session.pathOf(ref)}/settings`), change),
    answer: Settings,
    subject: Session.nameOf(ref)
  })
  yield* Session.print(given, settings, (terminal) => textOf(terminal, settings))
})

type Change = Record<string, unknown>

/** `name=value`, or `policy.name=value`. */
const changeOf = Effect.fnUntraced(function* (assignments: ReadonlyArray<string>) {
  const change: Change = {}
  const policies = new Map<string, Change>()
  for (const assignment of assignments) {
    const [, group, name = "", value = ""] = /^(?:([a-z_]+)\.)?([a-z_]+)=(.*)$/s.exec(assignment) ?? []
    if (name === "") {
      return yield* CommandFailure.usage(
        `"${assignment}" sets nothing: write name=value, such as auto_quarantine=flaky or health.clean_passes=20.`
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

/** `default` brings the default back. A branch is text, whatever it looks like. */
const valueOf = (name: string, value: string): unknown => {
  if (value === "default") return null
  if (name === "default_branch") return value
  return Result.getOrElse(
    Result.try(() => JSON.parse(value)),
    () => value
  )
}

const textOf = (terminal: Terminal, settings: Settings): string =>
  Table.fields(
    Object.entries(settings)
      .filter(([name]) => name !== "overridden")
      .flatMap(([name, value]) => linesOf(name, value))
      .map(([name, value]) => [
        name,
        settings.overridden.includes(name) ? `${paint(terminal, "bold", value)}  (set here)` : value
      ])
  )

const linesOf = (name: string, value: unknown): ReadonlyArray<readonly [string, string]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([field, each]) => [`${name}.${field}`, shown(each)])
    : [[name, value === null ? (unset[name] ?? "not set") : shown(value)]]

const shown = (value: unknown): string => plain(String(value))

/** What holds while a setting is not set. */
const unset: Readonly<Record<string, string>> = { default_branch: "main or master", auto_removal: "as auto_quarantine" }

const columns: ReadonlyArray<Table.Column<typeof Row.Type>> = [
  { heading: "repository", cell: Session.nameOf },
  { heading: "default branch", cell: ({ default_branch }) => default_branch ?? "main or master", canShrink: true },
  { heading: "since", cell: ({ created_at }) => created_at.slice(0, 10) }
]
