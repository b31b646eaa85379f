/** One example of the body about issues, in the words of the wire. */
import type { IssueList } from "./Issue.ts"

const list: (typeof IssueList)["Encoded"] = {
  total: 1,
  issues: [
    {
      test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
      test_name: "cart > pays with a card",
      issue: "12",
      url: "https://github.com/acme/widgets/issues/12",
      is_open: true,
      opened_at: "2026-01-30T09:00:00.000Z",
      closed_at: null,
      closed_by: null
    }
  ],
  checked_at: "2026-01-31T11:40:00.000Z",
  next_at: "2026-01-31T12:40:00.000Z",
  failure: null
}

/** The examples of the operations on issues. */
export const issueExamples = { listIssues: { response: list } }
