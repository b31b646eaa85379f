/** Issues, and the times of commits. */
import * as Hub from "../Hub.ts"
import { commitJson } from "./Merging.ts"
import type { Json, JsonObject } from "../Json.ts"
import { author } from "./Comments.ts"
import {
  type Call,
  notFound,
  onRepository,
  type Operation,
  type Operations,
  paged,
  refusal,
  type Reply,
  text,
  userJson
} from "./Operation.ts"

const read = { permission: "issues", access: "read" } as const
const write = { permission: "issues", access: "write" } as const

/** The most characters of a title. */
const mostCharacters = 256

/** An operation on the issues of a repository that has some. */
const onIssues = (need: typeof read | typeof write, run: Parameters<typeof onRepository>[1]): Operation =>
  onRepository(need, (repository, call) =>
    repository.isWithoutIssues === true ? refusal(410, "Issues are disabled for this repo") : run(repository, call)
  )

const isBot = ({ appId }: Hub.Issue): boolean => appId !== null

const shown = (repository: Hub.Repository, issue: Hub.Issue): JsonObject => ({
  id: issue.id,
  number: issue.number,
  title: issue.title,
  body: issue.body,
  state: issue.state,
  state_reason: issue.reason,
  user: userJson(issue.user, isBot(issue) ? "Bot" : "User"),
  labels: issue.labels.map((name) => ({ name })),
  assignees: issue.assignees.map((login) => userJson({ id: 7, login })),
  assignee: null,
  html_url: `https://github.test/${repository.owner}/${repository.name}/issues/${issue.number}`,
  created_at: issue.createdAt,
  updated_at: issue.updatedAt,
  closed_at: issue.closedAt,
  closed_by: issue.closedBy === null ? null : userJson(issue.closedBy)
})

/** A pull request in the list of issues. */
const pullAsIssue = (pull: Hub.Pull): JsonObject => ({
  id: pull.id,
  number: pull.number,
  title: pull.title,
  state: pull.state,
  user: userJson(pull.user),
  closed_at: null,
  pull_request: { url: `https://api.github.test/pulls/${pull.number}`, html_url: null, diff_url: null, patch_url: null }
})

const textsOf = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap((each) => (typeof each === "string" ? [each] : [])) : []

const found = (repository: Hub.Repository, path: Call["path"]): Hub.Issue | Reply => {
  const number = Number(path["issue_number"])
  if (repository.deletedIssues?.has(number) === true) return refusal(410, "This issue was deleted")
  return repository.issues.find((each) => each.number === number) ?? notFound
}

const isAssignable = ({ people }: Hub.Repository, login: string): boolean =>
  ["admin", "write", "read"].includes(people?.get(login) ?? "none")

/** The people who cannot be assigned: GitHub refuses the whole request. */
const wrongIn = (repository: Hub.Repository, body: JsonObject): Reply | null => {
  if (text(body, "title").length > mostCharacters) return refusal(422, "Validation Failed: title is too long")
  if (text(body, "body").length > 65_536) return refusal(422, "Validation Failed: body is too long")
  const wrong = textsOf(body["assignees"]).filter((login) => !isAssignable(repository, login))
  return wrong.length === 0 ? null : refusal(422, `Validation Failed: assignees ${wrong.join(", ")} is invalid`)
}

const update = (issue: Hub.Issue, call: Call): void => {
  const { body, hub } = call
  const at = Hub.timestamp(hub)
  if (typeof body["title"] === "string") issue.title = body["title"]
  if (typeof body["body"] === "string") issue.body = body["body"]
  if (body["labels"] !== undefined) issue.labels = textsOf(body["labels"])
  if (body["assignees"] !== undefined) issue.assignees = textsOf(body["assignees"])
  issue.updatedAt = at
  if (body["state"] === "closed" && issue.state === "open") {
    const reason = typeof body["state_reason"] === "string" ? body["state_reason"] : "completed"
    Object.assign(issue, { state: "closed", reason, closedAt: at, closedBy: author(call) })
  }
  if (body["state"] === "open" && issue.state === "closed") {
    Object.assign(issue, { state: "open", reason: "reopened", closedAt: null, closedBy: null })
  }
}

/** The operations. */
export const operations: Operations = {
  "issues/list-for-repo": onIssues(read, (repository, call) => {
    const { query } = call
    const [creator, state] = [query.get("creator"), query.get("state") ?? "open"]
    const all = [
      ...repository.pulls.map((pull) => ({ by: pull.user.login, state: pull.state, at: "", json: pullAsIssue(pull) })),
      ...repository.issues.map((issue) => ({
        by: issue.user.login,
        state: issue.state,
        at: issue.updatedAt,
        json: shown(repository, issue)
      }))
    ].filter((each) => (creator === null || each.by === creator) && (state === "all" || each.state === state))
    const sorted = all.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    const { headers, items } = paged(call, sorted, `/repos/${repository.owner}/${repository.name}/issues`)
    return { status: 200, headers, members: items.map(({ json }) => json) }
  }),

  "issues/get": onIssues(read, (repository, { path }) => {
    const issue = found(repository, path)
    return "number" in issue ? { status: 200, members: shown(repository, issue) } : issue
  }),

  "issues/create": onIssues(write, (repository, call) => {
    const { actor, body, hub } = call
    const wrong = wrongIn(repository, body)
    if (wrong !== null) return wrong
    const at = Hub.timestamp(hub)
    const issue: Hub.Issue = {
      id: Hub.nextId(hub),
      number: Hub.nextNumber(repository),
      user: author(call),
      appId: actor._tag === "Installation" ? actor.app.id : null,
      title: text(body, "title"),
      body: text(body, "body"),
      state: "open",
      reason: null,
      labels: textsOf(body["labels"]),
      assignees: textsOf(body["assignees"]),
      createdAt: at,
      updatedAt: at,
      closedAt: null,
      closedBy: null
    }
    repository.issues.push(issue)
    return { status: 201, members: shown(repository, issue) }
  }),

  "issues/update": onIssues(write, (repository, call) => {
    const issue = found(repository, call.path)
    if (!("number" in issue)) return issue
    const wrong = wrongIn(repository, call.body)
    if (wrong !== null) return wrong
    update(issue, call)
    return { status: 200, members: shown(repository, issue) }
  }),

  "issues/check-user-can-be-assigned": onRepository(read, (repository, { path }) =>
    isAssignable(repository, path["assignee"] ?? "") ? { status: 204 } : notFound
  ),

  "git/get-commit": onRepository({ permission: "contents", access: "read" }, (repository, { path }) => {
    const sha = path["commit_sha"] ?? ""
    const made = repository.history?.commit(sha) ?? null
    if (made !== null) return { status: 200, members: commitJson(sha, made) }
    const at = repository.commitTimes?.get(sha)
    if (at === undefined) return notFound
    const by = { name: "ada", email: "ada@example.com", date: `${new Date(at).toISOString().slice(0, 19)}Z` }
    return { status: 200, members: { sha, message: "change", author: by, committer: by } }
  })
}
