/** Commits and pull requests with the outcomes of their jobs, on the wire (our choice: the interface has no such route). */
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"
import { Text } from "@lazaret/domain"

/** The parameters of the lists of commits and of pull requests. */
export const CommitsQuery = {
  conclusion: Schema.optionalKey(
    Schema.Literals(["success", "failure"]).annotate({
      description: "`failure`: only commits with a failed job; `success`: only the others."
    })
  ),
  search: Schema.optionalKey(
    Text.between(1, 255).annotate({
      description:
        "A part of the branch or the title in any case, the beginning of the commit, the id of a run, or the number of the pull " +
        "request, with or without `#`."
    })
  ),
  ...Parameter.page
}

/** A commit with the outcomes of its jobs: of each job, its latest run counts. */
export const ListedCommit = Schema.Struct({
  commit: Schema.String,
  branch: Schema.String,
  base_branch: Schema.NullOr(Schema.String).annotate({ description: "The target of a pull request; null for a push." }),
  is_fork: Schema.Boolean.annotate({ description: "Whether every run of the commit is of a fork." }),
  pull_request: Schema.NullOr(
    Schema.Struct({
      number: Schema.Int,
      title: Schema.NullOr(Schema.String),
      author: Schema.NullOr(Schema.String).annotate({ description: "The login of the author." })
    })
  ).annotate({
    description:
      "The pull request; `title` and `author` are null where only its number is known, and all is null without one."
  }),
  conclusion: Schema.Literals(["success", "failure"]),
  finished_at: Timestamp.annotate({ description: "When the latest job run finished." }),
  run_ids: Schema.Array(Schema.String).annotate({ description: "The runs, the latest first." }),
  jobs: Schema.Int,
  failed_jobs: Schema.Int,
  passed: Schema.Int.annotate({ description: "Passed executions." }),
  failed: Schema.Int.annotate({ description: "Failed executions." })
}).annotate({ identifier: "ListedCommit" })

/** A page of commits. */
export const CommitsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  commits: Schema.Array(ListedCommit)
}).annotate({ identifier: "CommitsPage", description: "Commits with the outcomes of their jobs, the latest first." })
