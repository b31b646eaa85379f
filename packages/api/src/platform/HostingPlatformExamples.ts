/** One example of each body of the routes of the hosting platform, in the words of the wire. */
import type * as Wire from "./HostingPlatform.ts"

const app: (typeof Wire.GitHubApp)["Encoded"] = {
  source: "created",
  app: {
    id: 123_456,
    name: "Lazaret tests.example.com",
    owner: "acme",
    url: "https://github.com/apps/lazaret-tests-example-com",
    install_url: "https://github.com/apps/lazaret-tests-example-com/installations/new"
  },
  problem: null,
  obstacle: "This server has the app Lazaret tests.example.com. Disconnect it to create another one."
}

const registration: (typeof Wire.GitHubAppRegistration)["Encoded"] = {
  url: "https://tests.example.com/v1/github/app/new?state=…"
}

const connection: (typeof Wire.RepositoryConnection)["Encoded"] = {
  state: "installed",
  detail: null,
  default_branch: "main"
}

/** The examples of the operations on the hosting platform. */
export const hostingPlatformExamples = {
  getGitHubApp: { response: app },
  createGitHubApp: { request: { "application/json": { organization: "acme" } }, response: registration },
  getRepositoryConnection: { response: connection }
}
