/** The handlers of the routes that judge failures: one use case each. */
import { Api, Principal } from "@lazaret/api"
import {
  Causes,
  Commits,
  type CommitsRequest,
  FieldPrecisions,
  FirstVerdicts,
  type Subject,
  Triages
} from "@lazaret/services"
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Commit from "./Commits.ts"
import * as Triage from "./Triage.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "triage",
  Effect.fnUntraced(function* (handlers) {
    const triages = yield* Triages
    const precisions = yield* FieldPrecisions
    const firstVerdicts = yield* FirstVerdicts
    const commits = yield* Commits
    const causes = yield* Causes

    const found = (ref: Repository.RepositoryRef, list: CommitsRequest, { request }: Pick<Asked, "request">) =>
      commits.list(ref, list).pipe(Links.paged(request, Commit.pageOf(list.perPage)), ServiceErrors.toProblem)

    const listed = (ref: Repository.RepositoryRef, subject: Subject, { query, request }: Asked) => {
      const list = Triage.requestOf(query)
      return triages.list(ref, subject, list).pipe(
        Effect.flatMap(({ failed, ...triaged }) =>
          Effect.flatMap(causes.links(ref, failed), (links) =>
            Links.paged(request, () => Triage.pageOf(triaged, links, list.perPage))(Effect.succeed(triaged.listing))
          )
        ),
        ServiceErrors.toProblem
      )
    }

    return handlers.handleAll({
      listCommits: ({ params, query, request }) => found(params, Commit.requestOf("commits", query), { request }),
      listPullRequests: ({ params, query, request }) =>
        found(params, Commit.requestOf("pull_requests", query), { request }),
      listCommitFailures: ({ params, ...asked }) => listed(params, { _tag: "Commit", commit: params.commit }, asked),
      listRunFailures: ({ params, ...asked }) => listed(params, { _tag: "Run", runId: params.run_id }, asked),
      listPullRequestFailures: ({ params, ...asked }) =>
        listed(params, { _tag: "PullRequest", number: params.number }, asked),
      askTriage: ({ params, payload }) =>
        triages.ask(params, Triage.askedOf(payload)).pipe(
          Effect.flatMap((answered) =>
            Effect.map(
              causes.links(
                params,
                answered.failures.map(({ testName }) => testName)
              ),
              (links) => Triage.answerOf(answered, links)
            )
          ),
          ServiceErrors.toProblem
        ),
      markFailure: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            firstVerdicts
              .mark(
                params,
                { testId: params.test_id, executionId: params.execution_id },
                { truth: payload.truth, by: subject }
              )
              .pipe(Effect.map(Triage.markedOf), ServiceErrors.toProblem)
          ),
        options: { uninterruptible: true }
      },
      getVerdictPrecision: ({ params }) =>
        precisions.get(params).pipe(Effect.map(Triage.precisionOf), ServiceErrors.toProblem)
    })
  })
)

interface Asked {
  readonly query: Parameters<typeof Triage.requestOf>[0]
  readonly request: HttpServerRequest.HttpServerRequest
}
