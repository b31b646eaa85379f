/** The handlers of the routes of the hosting platform. */
import { Api, Principal, Problem, type Schemas } from "@lazaret/api"
import {
  actorOf,
  type CertificationReport,
  Certifications,
  type Connected,
  ForgeApp,
  PlatformChecks,
  type PlatformReport
} from "@lazaret/services"
import { Credential, Instant, type Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as GitHubAppPages from "./GitHubAppPages.ts"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handlers over the app of the server. */
export const layer = HttpApiBuilder.group(
  Api,
  "hostingPlatform",
  Effect.fnUntraced(function* (handlers) {
    const app = yield* ForgeApp
    const checks = yield* PlatformChecks
    const certifications = yield* Certifications
    const { createdGitHubApp, gitHubWebhookSecret, gitLab, publicUrl } = yield* HttpConfig

    const hasSecret = Effect.map(
      createdGitHubApp,
      (created) => Option.isSome(created) || Option.isSome(gitHubWebhookSecret) || Option.isSome(gitLab)
    )

    const report = (ref: Repository.RepositoryRef, branch: string | undefined, failures: ReadonlyArray<string> = []) =>
      Effect.flatMap(hasSecret, (has) =>
        Effect.map(checks.report(ref, { branch: branch ?? null, hasSecret: has }), (found) => reportOf(found, failures))
      )

    return handlers.handleAll({
      getGitHubApp: () => Effect.map(app.connected, connectedOf),
      createGitHubApp: ({ payload: { organization }, request }) =>
        app.begin(organization).pipe(
          Effect.map(({ state }) => ({ url: GitHubAppPages.addressOf(Links.base(request, publicUrl), state) })),
          ServiceErrors.toProblem
        ),
      deleteGitHubApp: () =>
        ServiceErrors.toProblem(app.forget).pipe(
          Effect.filterOrFail(
            (isGone) => isGone,
            () => none
          ),
          Effect.asVoid
        ),
      getRepositoryConnection: ({ params }) =>
        Effect.map(app.connectionOf(params), ({ defaultBranch, ...found }) => ({
          ...found,
          default_branch: defaultBranch
        })),
      getPlatformReport: ({ params, query }) => ServiceErrors.toProblem(report(params, query.branch)),
      tryPlatform: {
        handler: ({ params, payload: { check: isWriting, rerun }, query }) =>
          checks.probe(params, { isWriting, rerun }).pipe(
            Effect.flatMap((failures) => report(params, query.branch, failures)),
            ServiceErrors.toProblem
          ),
        options
      },
      certifyPlatform: {
        handler: ({ params, payload: scratch }) =>
          Effect.gen(function* () {
            // The app reaches repositories that the caller does not.
            const principal = yield* Principal
            if (!Credential.administers(principal, scratch)) return yield* Problem.forbiddenHere
            const actor = actorOf(principal)
            const started = yield* ServiceErrors.toProblem(certifications.start(params, { scratch, actor }))
            if (started === null) return yield* notDriven
            return started.isNew ? certificationOf(started.report) : yield* runsAlready(started.report)
          }),
        options
      },
      getPlatformCertification: ({ params }) =>
        ServiceErrors.toProblem(certifications.latest(params)).pipe(
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.fail(notCertified),
              onSome: (found) => Effect.succeed(certificationOf(found))
            })
          )
        ),
      waiveTrial: {
        handler: ({ params, payload: { reason }, query }) =>
          Effect.flatMap(Principal, ({ subject: by }) =>
            checks.waive(params, { branch: query.branch ?? null, reason, by }).pipe(
              Effect.map((branch) => ({ branch })),
              ServiceErrors.toProblem
            )
          ),
        options
      }
    })
  })
)

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

const notDriven = new Problem.Conflict({
  detail: "The platform that is connected cannot be driven: connect a GitHub App with the permission to push."
})

const notCertified = new Problem.NotFound({ detail: "No certification was begun for this repository." })

const runsAlready = ({ cases, scratch, startedAt, startedBy, total }: CertificationReport) =>
  new Problem.Conflict({
    detail:
      `A certification on ${scratch} runs already: ${startedBy} began it at ${Instant.toIso(startedAt)}, and ` +
      `${cases.length} of ${total} cases were tried. Read its outcome, or wait until it has ended.`
  })

const certificationOf = (report: CertificationReport): typeof Schemas.PlatformCertification.Type => ({
  host: report.host,
  scratch: report.scratch,
  state: report.state,
  started_by: report.startedBy,
  started_at: report.startedAt,
  ended_at: report.endedAt,
  total: report.total,
  cases: report.cases,
  failure: report.failure
})

const reportOf = (
  { isReady, steps, ...found }: PlatformReport,
  failures: ReadonlyArray<string>
): typeof Schemas.PlatformReport.Type => ({
  ...found,
  is_ready: isReady,
  failures,
  steps: steps.map(({ isNeeded, seenAt, ...step }) => ({
    name: step.name,
    state: step.state,
    message: step.message,
    action: step.action,
    url: step.url,
    seen_at: seenAt,
    is_needed: isNeeded
  }))
})

const none = new Problem.NotFound({ detail: "No GitHub App was created here." })

const connectedOf = ({ app, ...found }: Connected): typeof Schemas.GitHubApp.Type => ({
  ...found,
  app: app === null ? null : { ...app, install_url: `${app.url}/installations/new` }
})
