/** A simulated GitLab with one project, and connections to it. */
import { SimulatedGitLab } from "@lazaret/forge-simulated"
import type { CommitReport } from "@lazaret/services"
import { Effect, Redacted } from "effect"
import { GitLab, type GitLabClient, GitLabGroups } from "../src/index.ts"

/** The repository of these tests. */
export const ref = { owner: "acme", repository: "widgets" }

/** A commit. */
export const sha = "0123456789abcdef0123456789abcdef01234567"

/** A report on the commit. */
export const report = (parts: Partial<CommitReport> = {}): CommitReport => ({
  name: "Lazaret",
  commit: sha,
  conclusion: "failure",
  title: "1 failure",
  summary: "",
  annotations: [],
  actions: [],
  url: "https://lazaret.test/acme/widgets",
  ...parts
})

/** A started GitLab with the project. */
export const started = Effect.map(SimulatedGitLab.start, (gitLab) => ({
  gitLab,
  project: gitLab.addProject({ path: "acme/widgets" })
}))

/** The connection to a started GitLab, as a developer; reads that failed are repeated at once. */
export const connection = ({ url }: SimulatedGitLab.SimulatedGitLab): GitLabClient.Connection => ({
  url,
  token: Redacted.make("server-token"),
  groups: GitLabGroups.none,
  statuses: true,
  pause: 0
})

/** The platform at that connection. */
export const layer = (gitLab: SimulatedGitLab.SimulatedGitLab, parts: Partial<GitLabClient.Connection> = {}) =>
  GitLab.layer({ ...connection(gitLab), ...parts })
