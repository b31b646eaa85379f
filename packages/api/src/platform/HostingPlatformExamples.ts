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

const report: (typeof Wire.PlatformReport)["Encoded"] = {
  platform: "github",
  branch: "main",
  gate: "held",
  drive: "off",
  is_ready: false,
  steps: [
    {
      name: "permission contents: write",
      state: "missing",
      message: "Without it the app cannot do what it is for: it queues pull requests again, takes them out.",
      action: "Grant it to the app, then accept it for the installation.",
      url: "https://github.com/organizations/acme/settings/apps/lazaret/permissions",
      seen_at: null,
      is_needed: true
    },
    {
      name: "delivery",
      state: "ok",
      message: "The last one was push.",
      action: null,
      url: null,
      seen_at: "2026-01-31T11:45:00Z",
      is_needed: true
    }
  ],
  failures: [],
  assumptions: ["A rerun keeps the check suite of its run, and the newest run of a check counts."]
}

const certification: (typeof Wire.PlatformCertification)["Encoded"] = {
  host: "github.com",
  scratch: "acme/scratch",
  state: "failed",
  started_by: "ana",
  started_at: "2026-01-31T11:45:00Z",
  ended_at: "2026-01-31T11:46:10Z",
  total: 15,
  cases: [{ name: "a landing after somebody else's push changes nothing", fault: null }],
  failure: "The server stopped."
}

/** The examples of the operations on the hosting platform. */
export const hostingPlatformExamples = {
  getGitHubApp: { response: app },
  createGitHubApp: { request: { "application/json": { organization: "acme" } }, response: registration },
  getRepositoryConnection: { response: connection },
  getPlatformReport: { response: report },
  tryPlatform: { request: { "application/json": { check: true, rerun: null } }, response: report },
  certifyPlatform: {
    request: { "application/json": { owner: "acme", repository: "scratch" } },
    response: { ...certification, state: "running", ended_at: null, cases: [] }
  },
  getPlatformCertification: { response: certification },
  waiveTrial: {
    request: { "application/json": { reason: "The trial ran on the server before this one." } },
    response: { branch: "main" }
  }
}
