/** Merge requests that are opened, merged and closed, and merge trains. */
import type { JsonObject } from "../Json.ts"
import { refusal, type Reply, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { mergeRequestJson } from "./MergeRequests.ts"
import { byAccount, type Call, missing, onProject, type Operation, type Operations, paged } from "./Operation.ts"

type Found = (project: Lab.Project, mergeRequest: Lab.MergeRequest, call: Call) => Reply

const onMergeRequest = (role: number, run: Found): Operation =>
  onProject(role, (project, call) => {
    const iid = Number(call.path["merge_request_iid"])
    const found = project.mergeRequests.find((each) => each.iid === iid)
    return found === undefined ? missing("Merge request") : run(project, found, call)
  })

/**
 * Merges a merge request (lib/api/merge_requests.rb).
 *
 * **Details**
 *
 * - 401 without the permission. 405 for whatever keeps it from being merged: also a conflict (gitlab-org/gitlab#364102), and while
 *   GitLab has not processed the last push (#28779). 409 at another head.
 * - The history is that of the project's merge method; with "fast-forward" and "semi-linear" only what stands on the tip is merged.
 */
const merge: Operation = onMergeRequest(0, (project, mergeRequest, call) => {
  const { body, token } = call
  const level = project.members.get(token ?? "") ?? 0
  const least = project.protectedRefs.has(mergeRequest.target) ? Lab.roles.maintainer : Lab.roles.developer
  if (level < least) return refusal(401, "401 Unauthorized")
  const status = Lab.mergeStatus(project, mergeRequest)
  if (status !== "mergeable") return refusal(405, "405 Method Not Allowed")
  const sha = text(body, "sha")
  if (sha !== "" && sha !== mergeRequest.sha) {
    return refusal(409, `SHA does not match HEAD of source branch: ${mergeRequest.sha}`)
  }
  const tip = project.branches.get(mergeRequest.target) ?? ""
  const made = commitsOf(project, mergeRequest, { tip, body })
  Object.assign(mergeRequest, { state: "merged", mergedAt: Lab.timestamp(), ...made })
  Lab.setBranch(call.lab, project, {
    branch: mergeRequest.target,
    to: made.mergeCommit ?? made.squashCommit ?? mergeRequest.sha
  })
  return { status: 200, members: mergeRequestJson(project, mergeRequest) }
})

const commitsOf = (
  { objects, settings }: Lab.Project,
  { sha, source, target, title }: Lab.MergeRequest,
  { body, tip }: { readonly tip: string; readonly body: JsonObject }
) => {
  const base = objects.mergeBase(sha, [tip]) ?? ""
  const treeOf = (commit: string) => objects.commit(commit)?.tree ?? ""
  const tree = objects.merge(treeOf(base), treeOf(tip), treeOf(sha)) ?? ""
  const author = objects.commit(sha)?.author
  const squash = text(body, "squash_commit_message") || title
  const squashCommit =
    body["squash"] === true
      ? objects.write({
          tree: treeOf(sha),
          parents: [base],
          message: squash,
          ...(author === undefined ? {} : { author })
        })
      : null
  if (settings.mergeMethod === "ff") return { mergeCommit: null, squashCommit }
  const message = text(body, "merge_commit_message") || `Merge branch '${source}' into '${target}'`
  return { mergeCommit: objects.write({ tree, parents: [tip, squashCommit ?? sha], message }), squashCommit }
}

const open: Operation = onProject(Lab.roles.developer, (project, call) =>
  byAccount((author, { body, lab }) => {
    const [source, target] = [text(body, "source_branch"), text(body, "target_branch")]
    const sha = project.branches.get(source)
    const isKnown = project.mergeRequests.some(
      (each) => each.state === "opened" && each.source === source && each.target === target
    )
    if (isKnown) return refusal(409, "Another open merge request already exists for this source branch")
    if (sha === undefined) return { status: 400, members: { message: { source_branch: ["does not exist"] } } }
    const mergeRequest: Lab.MergeRequest = {
      id: Lab.nextId(lab),
      iid: project.mergeRequests.length + 1,
      title: text(body, "title"),
      author,
      source,
      target,
      from: project.id,
      sha,
      state: "opened",
      mergedAt: null,
      mergeCommit: null,
      squashCommit: null,
      commits: new Set([sha]),
      isDraft: /^draft:/iu.test(text(body, "title")),
      isChecking: true
    }
    project.mergeRequests.push(mergeRequest)
    return { status: 201, members: mergeRequestJson(project, mergeRequest) }
  })(call)
)

/** The commits of a merge request, the newest first. */
const commits: Operation = onMergeRequest(0, (project, { sha, target }) => {
  const tip = project.branches.get(target) ?? ""
  const found: Array<JsonObject> = []
  for (let at = sha; at !== "" && !project.objects.contains(tip, at);) {
    const { author = { name: "", email: "" }, message = "", parents = [] } = project.objects.commit(at) ?? {}
    found.push({ id: at, title: message, author_name: author.name, author_email: author.email })
    at = parents[0] ?? ""
  }
  return { status: 200, members: found }
})

/** Trains are a part of GitLab Premium: a project without them refuses. */
const train: Operation = onProject(Lab.roles.reporter, (project, call) => {
  if (!project.settings.hasTrains) return refusal(403, "403 Forbidden")
  const cars = project.train.filter(({ target }) => target === call.path["target_branch"])
  const { headers, items } = paged(call, cars)
  return {
    status: 200,
    headers,
    members: items.map(({ iid, pipeline, status, target }) => ({
      id: iid,
      status,
      target_branch: target,
      merge_request: { id: iid, iid, project_id: project.id, title: "Change", state: "opened" },
      ...(pipeline === null
        ? {}
        : { pipeline: { id: pipeline.id, sha: pipeline.sha, ref: pipeline.ref, status: pipeline.status } })
    }))
  }
})

/** The operations. */
export const operations: Operations = {
  postApiV4ProjectsIdMergeRequests: open,

  putApiV4ProjectsIdMergeRequestsMergeRequestIid: onMergeRequest(
    Lab.roles.developer,
    (project, mergeRequest, { body }) => {
      if (text(body, "state_event") === "close" && mergeRequest.state === "opened") mergeRequest.state = "closed"
      if (text(body, "state_event") === "reopen" && mergeRequest.state === "closed") mergeRequest.state = "opened"
      return { status: 200, members: mergeRequestJson(project, mergeRequest) }
    }
  ),

  putApiV4ProjectsIdMergeRequestsMergeRequestIidMerge: merge,

  getApiV4ProjectsIdMergeRequestsMergeRequestIidCommits: commits,

  getApiV4ProjectsIdMergeTrainsTargetBranch: train
}
