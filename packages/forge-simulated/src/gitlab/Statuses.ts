/** Commit statuses, and what they do to pipelines. */
import { refusal, type Reply, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { type Call, missing, onProject, type Operations, paged, userJson } from "./Operation.ts"

/** The operations. */
export const operations: Operations = {
  getApiV4ProjectsIdRepositoryCommitsShaStatuses: onProject(Lab.roles.reporter, (project, call) => {
    const sha = call.path["sha"] ?? ""
    if (!Lab.knows(project, sha)) return missing("Commit")
    const name = call.query.get("name")
    const of = call.query.get("pipeline_id")
    const ofCommit = project.statuses.filter(
      (each) =>
        each.sha === sha && (name === null || each.name === name) && (of === null || String(each.pipeline) === of)
    )
    const latest = ofCommit.filter(
      ({ id, name: own, pipeline }) =>
        !ofCommit.some((each) => each.name === own && each.pipeline === pipeline && each.id > id)
    )
    const { headers, items } = paged(call, call.query.get("all") === "true" ? ofCommit : latest)
    return { status: 200, headers, members: items.map((each) => statusJson(each, call)) }
  }),

  postApiV4ProjectsIdStatusesSha: onProject(Lab.roles.developer, (project, call) =>
    setStatus(project, call, call.path["sha"] ?? "")
  )
}

const transitions: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["running", "success", "failed", "canceled"],
  running: ["success", "failed", "canceled"]
}

/**
 * Sets a status as the service of the platform does (`create_commit_status_service.rb`).
 *
 * **Details**
 *
 * - It belongs to the pipeline that it names (`pipeline_id`), which must have its commit and ref; without a name to the newest of its
 *   commit, whatever its source (gitlab-foss#51368), else to a new one of source `external` on the first branch at the commit. With
 *   merged results pipelines no pipeline has the head, so that each status is such a new one (gitlab#443254). The head of a fork is
 *   on no branch.
 * - The token must be allowed to change the pipeline.
 * - A pipeline that has no jobs of its own has the state of its statuses, also after an error in its configuration or `[skip ci]`.
 * - A status of the same account and name that is pending or running goes on, and only to another state; any other one is replaced
 *   by a new one.
 */
const setStatus = (project: Lab.Project, call: Call, sha: string): Reply => {
  const { body, lab, token } = call
  const account = lab.accounts.get(token ?? "")
  if (account === undefined) return refusal(401, "401 Unauthorized")
  if (!Lab.knows(project, sha)) return missing("Commit")
  const [branch] = [...project.branches].find(([, head]) => head === sha) ?? []
  const pipeline = matching(project, call, sha)
  const ref = text(body, "ref") || (pipeline?.ref ?? branch)
  if (ref === undefined) return missing("References for commit")
  if (body["pipeline_id"] !== undefined && pipeline === undefined)
    return missing("Pipeline for pipeline_id, sha and ref")
  if (!Lab.mayUpdate(project, ref, token)) return refusal(403, "403 Forbidden")
  if ([text(body, "target_url"), text(body, "description")].some((each) => Array.from(each).length > 255)) {
    return { status: 400, members: { message: { target_url: ["is too long (maximum is 255 characters)"] } } }
  }
  const name = text(body, "name") || text(body, "context") || "default"
  const state = text(body, "state")
  const going = project.statuses.find(
    (each) =>
      each.pipeline === pipeline?.id && each.name === name && each.by === account.id && each.status in transitions
  )
  if (going !== undefined && !transitions[going.status]?.includes(state)) {
    return refusal(400, `Cannot transition status via :${state} from :${going.status}`)
  }
  const status = going ?? created(project, lab, { sha, ref, name, by: account.id, pipeline: pipeline?.id })
  Object.assign(status, {
    status: state,
    description: text(body, "description") || status.description,
    targetUrl: text(body, "target_url") || status.targetUrl
  })
  settle(project, status.pipeline)
  return { status: 201, members: statusJson(status, call) }
}

/** The newest pipeline of the commit that a status may belong to. */
const matching = ({ pipelines }: Lab.Project, { body }: Call, sha: string): Lab.Pipeline | undefined =>
  pipelines.findLast(
    (each) =>
      each.sha === sha &&
      (text(body, "ref") === "" || each.ref === text(body, "ref")) &&
      (body["pipeline_id"] === undefined || each.id === body["pipeline_id"])
  )

/** Gives a pipeline the state that follows from its statuses; jobs of its own keep the state that they have given it. */
const settle = ({ pipelines, statuses }: Lab.Project, id: number): void => {
  const pipeline = pipelines.find((each) => each.id === id)
  const latest = new Map(statuses.filter((each) => each.pipeline === id).map(({ name, status }) => [name, status]))
  const states = [...latest.values()]
  if (pipeline === undefined) return
  if (states.includes("failed")) pipeline.status = "failed"
  else if (pipeline.jobs.length === 0 && states.every((each) => each === "success")) pipeline.status = "success"
}

interface NewStatus {
  readonly sha: string
  readonly ref: string
  readonly name: string
  readonly by: number
  readonly pipeline: number | undefined
}

const created = (project: Lab.Project, lab: Lab.Lab, { pipeline, ...given }: NewStatus): Lab.Status => {
  const status = {
    ...given,
    id: Lab.nextId(lab),
    status: "created",
    description: null,
    targetUrl: null,
    pipeline: pipeline ?? external(project, lab, given)
  }
  project.statuses.push(status)
  return status
}

const external = (project: Lab.Project, lab: Lab.Lab, { ref, sha }: Pick<NewStatus, "ref" | "sha">): number => {
  const id = Lab.nextId(lab)
  const user = { id: 1, username: "root", scopes: null }
  const rest = { isTag: false, name: null, user, createdAt: Lab.timestamp(), retries: 0, jobs: [] }
  project.pipelines.push({ id, sha, ref, source: "external", status: "running", ...rest })
  return id
}

const statusJson = (
  { by, description, id, name, pipeline, ref, sha, status, targetUrl }: Lab.Status,
  { lab }: Call
) => {
  const author = [...lab.accounts.values()].find((each) => each.id === by)
  return {
    id,
    sha,
    ref,
    status,
    name,
    description,
    target_url: targetUrl,
    pipeline_id: pipeline,
    allow_failure: false,
    ...(author === undefined ? {} : { author: userJson(author) })
  }
}
