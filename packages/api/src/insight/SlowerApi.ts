/** The operation on slower tests (beyond the interface). */
import { TestId } from "@lazaret/domain"
import type { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { type SlowerLine, SlowerPage, SlowerQuery } from "./Slower.ts"

const line: Schema.Codec.Encoded<typeof SlowerLine> = {
  kind: "test",
  test_id: TestId.of("tests/net/client.spec > connects"),
  test_name: "tests/net/client.spec > connects",
  pipeline_name: "CI",
  job_name: "unit",
  tests: 1,
  before_seconds: 1.2,
  after_seconds: 3.4,
  started_at: "2026-01-20T10:00:00.000Z",
  last_commit: "5f2c1d0",
  first_commit: "b7e9a12",
  confidence: "high",
  executions_per_week: 320,
  added_seconds_per_week: 704,
  latest_seconds: [1.2, 1.3, 1.2, 3.4, 3.5, 3.4]
}

const page: Schema.Codec.Encoded<typeof SlowerPage> = {
  size: 1,
  per_page: 100,
  total: 1,
  computed_at: "2026-01-31T12:00:00.000Z",
  days: 60,
  tests: 412,
  sentence: "1 change adds 12 minutes a week; 412 tests were compared over 60 days",
  lines: [line]
}

const listSlower = HttpApiEndpoint.get("listSlower", `${repositoryPath}/slower`, {
  params: Parameter.repository,
  query: SlowerQuery,
  success: SlowerPage,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List what became slower",
    description:
      "Lists tests and jobs of the default branch that take longer than before and still do, those that add most time each week first. " +
      "A server keeps the answer for ten minutes; `computed_at` says when it was computed.",
    example: { response: page }
  })
)

/** The group of slower tests. */
export class SlowerApi extends Operation.guarded(
  "slower",
  { description: "What takes longer than before." },
  listSlower
) {}
