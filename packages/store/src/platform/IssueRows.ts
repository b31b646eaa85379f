/** The tables of issues: their records, and the next comparison of each repository. */
import { TestIssue } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** The records of issues. */
export const testIssues: Table<TestIssue.TestIssue> = {
  name: "test_issues",
  scope: "repository",
  columns: {
    testId: "uuid",
    testName: "text",
    issue: "text",
    url: "text",
    openedAt: "instant",
    closedAt: "instant",
    closedBy: "text",
    urgent: "text",
    detail: "text",
    writtenAt: "instant"
  },
  key: ["testId"],
  ...rowsOf(TestIssue.TestIssue)
}

/** The next comparison of the issues of a repository, the result of the last one, and the holder and end of its lease. */
export interface IssueRoundRow extends Due.Due {
  readonly failure: string | null
  readonly checkedAt: number | null
}

/** Comparisons of issues: one row per repository. */
export const issueRounds: Table<IssueRoundRow> = {
  name: "issue_rounds",
  scope: "repository",
  columns: {
    ...Due.columns,
    failure: "text",
    checkedAt: "instant"
  },
  key: [],
  ...rowsOf(
    Schema.Struct({
      ...Due.fields,
      failure: Schema.NullOr(Str),
      checkedAt: Schema.NullOr(Num)
    })
  )
}
