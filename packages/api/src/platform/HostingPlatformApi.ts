/** The operations on the connection to the hosting platform (beyond the interface). */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Wire from "./HostingPlatform.ts"
import * as Parameter from "../definition/Parameter.ts"

/** Refuses unknown fields: a misspelt name must not change nothing and report success. */
const strict = { errors: "all", onExcessProperty: "error" } as const

const path = "/v1/github/app" as const

const getGitHubApp = HttpApiEndpoint.get("getGitHubApp", path, {
  success: Wire.GitHubApp,
  error: [Problem.Unavailable]
}).pipe(
  Operation.demands(Access.serverAdminKey),
  Operation.documented({
    summary: "Get the GitHub App of the server",
    description:
      "Shows the app that reports on pull requests, and asks GitHub whether it still exists. The key must be for all owners."
  })
)

const createGitHubApp = HttpApiEndpoint.post("createGitHubApp", path, {
  payload: Wire.CreateGitHubApp,
  success: Wire.GitHubAppRegistration.pipe(HttpApiSchema.status(201)),
  error: [
    Problem.Conflict,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
})
  .annotate(HttpApi.PayloadParseOptions, strict)
  .pipe(
    Operation.demands(Access.serverAdminKey),
    Operation.documented({
      summary: "Begin to create a GitHub App",
      description:
        "Answers a page that leads to GitHub, where the person confirms the app. GitHub then leads back to the server, which stores " +
        "the app's private key in its data folder and uses it at once. A conflict when the server has an app already."
    })
  )

const deleteGitHubApp = HttpApiEndpoint.delete("deleteGitHubApp", path, {
  success: HttpApiSchema.NoContent.annotate({ description: "The app is disconnected." }),
  error: [Problem.NotFound, Problem.Conflict, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.serverAdminKey),
  Operation.documented({
    summary: "Disconnect the GitHub App",
    description:
      "Deletes the private key of an app that was created here. The app stays registered at GitHub: delete it there."
  })
)

const getRepositoryConnection = HttpApiEndpoint.get("getRepositoryConnection", `${repositoryPath}/connection`, {
  params: Parameter.repository,
  success: Wire.RepositoryConnection,
  error: [Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get the connection of a repository",
    description: "Asks the hosting platform whether the server can act on the repository there."
  })
)

const query = {
  branch: Schema.optionalKey(Text.between(1, 255).annotate({ description: "The base branch of the gate." }))
}

const getPlatformReport = HttpApiEndpoint.get("getPlatformReport", `${repositoryPath}/connection/check`, {
  params: Parameter.repository,
  query,
  success: Wire.PlatformReport,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Check the connection of a repository",
    description:
      "Asks the hosting platform for permissions, events and rules, and shows with them what was seen at work: deliveries, a check " +
      "that was written and read back, a rerun, the jobs of the required checks, and the trial of the gate."
  })
)

const tryPlatform = HttpApiEndpoint.post("tryPlatform", `${repositoryPath}/connection/check`, {
  params: Parameter.repository,
  query,
  payload: Wire.TryPlatform,
  success: Wire.PlatformReport,
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, strict)
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "Try the connection of a repository",
      description:
        "Writes a check and reads it back, or runs failed jobs again, and answers as the check of the connection does. Nothing depends " +
        "on the check."
    })
  )

const waiveTrial = HttpApiEndpoint.put("waiveTrial", `${repositoryPath}/merge-queue/trial`, {
  params: Parameter.repository,
  query,
  payload: Wire.WaiveTrial,
  success: Wire.TrialWaived,
  error: [...Problem.ofRepositoryBody, Problem.Conflict]
})
  .annotate(HttpApi.PayloadParseOptions, strict)
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "End the trial of a gate or a driven queue early",
      description:
        "Lets the gate of a base branch act although not all that it needs was seen at work, or lets its queue be driven at a platform " +
        "that is not certified. The reason is in the audit log, and in the log of the queue. A conflict when the branch has neither."
    })
  )

const certifyPlatform = HttpApiEndpoint.post("certifyPlatform", `${repositoryPath}/merge-queue/certification`, {
  params: Parameter.repository,
  payload: Wire.CertifyPlatform,
  success: Wire.PlatformCertification.pipe(HttpApiSchema.status(202)),
  error: [...Problem.ofRepositoryBody, Problem.Conflict, Problem.Unavailable]
})
  .annotate(HttpApi.PayloadParseOptions, strict)
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "Certify the platform for driven queues",
      description:
        "Begins to try everything that a driven queue depends on, with branches, commits and pull requests in a scratch repository, which " +
        "are removed again, and answers at once. When every case holds, queues of this repository may leave the shadow. It takes a minute " +
        "or two: `getPlatformCertification` shows the outcomes. The caller must administer the scratch repository, too. A conflict when a " +
        "certification runs already, or the platform that is connected cannot be driven. Its start and its end are in the audit log."
    })
  )

const getPlatformCertification = HttpApiEndpoint.get(
  "getPlatformCertification",
  `${repositoryPath}/merge-queue/certification`,
  {
    params: Parameter.repository,
    success: Wire.PlatformCertification,
    error: Problem.ofRepository
  }
).pipe(
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get the last certification of the platform",
    description:
      "Shows the certification that began last, while it runs and after it, case by case. 404 when none was begun for the repository."
  })
)

/** The group of the operations on the hosting platform. */
export class HostingPlatformApi extends Operation.guarded(
  "hostingPlatform",
  { title: "Hosting platform", description: "The connection to the platform that hosts the repositories." },
  getGitHubApp,
  createGitHubApp,
  deleteGitHubApp,
  getRepositoryConnection,
  getPlatformReport,
  tryPlatform,
  waiveTrial,
  certifyPlatform,
  getPlatformCertification
) {}
