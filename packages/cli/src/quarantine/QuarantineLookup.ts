/** Finds quarantines for the commands that name one. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as Id from "../connection/Id.ts"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Session from "../connection/Session.ts"
import { plain } from "../terminal/Terminal.ts"

type Quarantined = typeof Schemas.QuarantinedTest.Type

/** The active quarantines of a repository. */
export const quarantinesOf = (
  session: Session.Session,
  params: Repository.RepositoryRef,
  query: { readonly branch?: string; readonly source?: "manual" | "auto" }
) =>
  session.list({
    subject: Session.nameOf(params),
    key: "quarantined_tests",
    most: Number.POSITIVE_INFINITY,
    page: (api, at) => api.listQuarantines({ params, query: { ...query, ...at }, ...both })
  })

/** The life of a quarantine as the server shows it. */
export type Living = typeof Schemas.QuarantineLife.Type

/** The lives of the active quarantines of a repository, by the id of the quarantine. */
export const livesOf = (session: Session.Session, params: Repository.RepositoryRef) =>
  session
    .list({
      subject: Session.nameOf(params),
      key: "lives",
      most: Number.POSITIVE_INFINITY,
      page: (api, at) => api.listQuarantineLives({ params, query: at, ...both })
    })
    .pipe(Effect.map(({ entries }) => new Map(entries.map(({ row }) => [row.quarantine_id, row]))))

/** Whether a quarantine is the one of a test on a branch; null: on every branch. */
export const isOf = (row: Quarantined, of: { readonly test_name: string; readonly branch: string | null }): boolean =>
  row.test_name === of.test_name && row.branch === of.branch

/** A branch, or every one, in a sentence. */
export const where = (of: string | null): string => (of === null ? "on every branch" : `on ${plain(of)}`)

/** The id of the quarantine that an argument names: by its id, or by its test and branch. */
export const idOf = Effect.fnUntraced(function* (
  session: Session.Session,
  params: Repository.RepositoryRef,
  of: { readonly test_name: string; readonly branch: string | null }
) {
  if (Id.isId(of.test_name)) return of.test_name
  const { entries } = yield* quarantinesOf(session, params, {})
  const rows = entries.map(({ row }) => row).filter(({ test_name }) => test_name === of.test_name)
  const found = rows.find((row) => isOf(row, of))
  if (found !== undefined) return found.id
  const others = rows.flatMap((row) => (row.branch === null ? [] : [plain(row.branch)]))
  const hint = others.length === 0 ? "" : ` It is on: give --branch ${others.join(" or --branch ")}.`
  const place = rows.length === 0 ? "" : ` ${where(of.branch)}`
  return yield* CommandFailure.refused(`${plain(of.test_name)} is not quarantined${place}.${hint}`)
})
