/** The handler of the list of issues. */
import { Api, type Schemas } from "@lazaret/api"
import { TestIssue } from "@lazaret/domain"
import { type IssueListing, Issues } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "issues",
  Effect.fnUntraced(function* (handlers) {
    const issues = yield* Issues

    return handlers.handleAll({
      listIssues: ({ params, query }) =>
        issues.list(params, query.test_id ?? null).pipe(Effect.map(listOf), ServiceErrors.toProblem)
    })
  })
)

const listOf = ({ issues, progress, total }: IssueListing): typeof Schemas.IssueList.Type => ({
  total,
  issues: issues.map((issue) => ({
    test_id: issue.testId,
    test_name: issue.testName,
    issue: issue.issue,
    url: issue.url,
    is_open: TestIssue.isOpen(issue),
    opened_at: issue.openedAt,
    closed_at: issue.closedAt,
    closed_by: issue.closedBy
  })),
  checked_at: progress?.checkedAt ?? null,
  next_at: progress?.nextAt ?? null,
  failure: progress?.failure ?? null
})
