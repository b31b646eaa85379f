/** Commits and pull requests on the wire. */
import type { Schemas } from "@lazaret/api"
import type { CommitsRequest, ListedCommit, Listing } from "@lazaret/services"
import type { Schema } from "effect"
import * as Parameter from "../request/Parameter.ts"

type Query = Schema.Struct.Type<typeof Schemas.CommitsQuery>

/** The list that a query asks for. */
export const requestOf = (kind: CommitsRequest["kind"], query: Query): CommitsRequest => ({
  kind,
  isFailing: query.conclusion === undefined ? null : query.conclusion === "failure",
  search: query.search ?? "",
  ...Parameter.pageOf(query)
})

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  ({ rows, total }: Listing.Listing<ListedCommit>): typeof Schemas.CommitsPage.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    commits: rows.map(commitOf)
  })

const commitOf = (row: ListedCommit): typeof Schemas.ListedCommit.Type => ({
  commit: row.commit,
  branch: row.branch,
  base_branch: row.baseBranch,
  is_fork: row.isFork,
  pull_request:
    row.pullNumber === null
      ? null
      : { number: row.pullNumber, title: row.pull?.title ?? null, author: row.pull?.user.login ?? null },
  conclusion: row.failedJobs > 0 ? "failure" : "success",
  finished_at: row.at,
  run_ids: row.runIds,
  jobs: row.jobs,
  failed_jobs: row.failedJobs,
  passed: row.passed,
  failed: row.failed
})
