/** Check runs: only the app may write them. */
import * as Hub from "../Hub.ts"
import type { JsonObject } from "../Json.ts"
import {
  type Call,
  notFound,
  object,
  onRepository,
  type Operations,
  paged,
  refusal,
  type Reply,
  text
} from "./Operation.ts"

const write = { permission: "checks", access: "write" } as const

const shown = (repository: Hub.Repository, run: Hub.CheckRun): JsonObject => {
  const { actions: _, output: __, ...members } = run.members
  const { summary = null, text: prose = null, title = null } = object(run.members, "output")
  const count = run.annotations.length
  return {
    status: "queued",
    conclusion: null,
    html_url: Hub.pageOf(repository, run),
    details_url: "https://github.test/apps/lazaret",
    ...members,
    id: run.id,
    head_sha: run.headSha,
    check_suite: { id: Hub.suiteOf(repository, run) },
    app: { id: run.appId, slug: "lazaret" },
    output: {
      title,
      summary,
      text: prose,
      annotations_count: count,
      annotations_url: "https://github.test/annotations"
    }
  }
}

const annotationsIn = (body: JsonObject): ReadonlyArray<JsonObject> => {
  const { annotations } = object(body, "output")
  // The request was validated against the OpenAPI document before.
  return (annotations ?? []) as ReadonlyArray<JsonObject>
}

/** The rules that stand in prose of the description: a conclusion completes a run, and a completed run has one. */
const refused = (body: JsonObject): Reply | null =>
  body["status"] === "completed" && body["conclusion"] === undefined
    ? refusal(422, "Invalid request. `conclusion` is required when `status` is completed.")
    : null

const appIdOf = ({ actor }: Call): number => (actor._tag === "Installation" ? actor.app.id : 0)

const statusOf = (body: JsonObject): JsonObject => (body["conclusion"] === undefined ? {} : { status: "completed" })

/** The refusal of a commit that GitHub does not know yet. */
const unknown = (sha: string): Reply => refusal(422, `No commit found for SHA: ${sha}`)

/** The operations. */
export const operations: Operations = {
  "checks/create": onRepository(write, (repository, call) => {
    const { body, hub } = call
    if (call.actor._tag !== "Installation") return refusal(403, "You must authenticate via a GitHub App.")
    const wrong = refused(body)
    if (wrong !== null) return wrong
    const { name = "", head_sha: headSha = "" } = body
    if (Hub.isTooNew(hub, repository, String(headSha))) return unknown(String(headSha))
    const run = {
      id: Hub.nextId(hub),
      headSha: String(headSha),
      appId: appIdOf(call),
      members: { ...body, ...statusOf(body), name },
      annotations: [...annotationsIn(body)]
    }
    repository.checkRuns.push(run)
    return { status: 201, members: shown(repository, run) }
  }),

  "checks/update": onRepository(write, (repository, call) => {
    const run = repository.checkRuns.find(({ id }) => id === Number(call.path["check_run_id"]))
    if (call.actor._tag !== "Installation") return refusal(403, "You must authenticate via a GitHub App.")
    if (run === undefined) return notFound
    if (run.appId !== appIdOf(call))
      return refusal(403, "Invalid app_id `0` - check run can only be modified by the GitHub App that created it.")
    const wrong = refused(call.body)
    if (wrong !== null) return wrong
    run.members = { ...run.members, ...call.body, ...statusOf(call.body) }
    run.annotations.push(...annotationsIn(call.body))
    return { status: 200, members: shown(repository, run) }
  }),

  "checks/list-for-ref": onRepository({ permission: "checks", access: "read" }, (repository, call) => {
    const { hub, path, query } = call
    if (Hub.isTooNew(hub, repository, path["ref"] ?? "")) return unknown(path["ref"] ?? "")
    const [name, app] = [query.get("check_name"), query.get("app_id")]
    const found = repository.checkRuns
      .filter(({ headSha }) => headSha === path["ref"])
      .filter(
        ({ appId, members }) =>
          (name === null || text(members, "name") === name) && (app === null || appId === Number(app))
      )
      .reverse()
    const suiteOf = (run: Hub.CheckRun) => Hub.suiteOf(repository, run)
    const isSame = (a: Hub.CheckRun, b: Hub.CheckRun) =>
      suiteOf(a) === suiteOf(b) && a.members["name"] === b.members["name"]
    const latest = found.filter((run, index) => found.findIndex((each) => isSame(each, run)) === index)
    const list = query.get("filter") === "all" ? found : latest
    const address = `/repos/${repository.owner}/${repository.name}/commits/${path["ref"] ?? ""}/check-runs`
    const { headers, items } = paged(call, list, address)
    return {
      status: 200,
      headers,
      members: { total_count: list.length, check_runs: items.map((run) => shown(repository, run)) }
    }
  })
}
