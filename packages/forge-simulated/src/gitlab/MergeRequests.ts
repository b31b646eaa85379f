/** Merge requests and their notes. */
import type { JsonObject } from "../Json.ts"
import { refusal, type Reply, text } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import {
  byAccount,
  type Call,
  missing,
  onProject,
  type Operation,
  type Operations,
  paged,
  userJson
} from "./Operation.ts"

/** A merge request, as the platform shows it. */
export const mergeRequestJson = (project: Lab.Project, each: Lab.MergeRequest): JsonObject => ({
  id: each.id,
  iid: each.iid,
  project_id: project.id,
  title: each.title,
  state: each.state,
  merged_at: each.mergedAt,
  source_branch: each.source,
  target_branch: each.target,
  source_project_id: each.from,
  target_project_id: project.id,
  author: userJson(each.author),
  sha: each.sha,
  merge_commit_sha: each.mergeCommit,
  squash_commit_sha: each.squashCommit,
  draft: each.isDraft === true,
  description: each.description ?? null,
  detailed_merge_status: Lab.mergeStatus(project, each)
})

const noteJson = ({ author, body, id, iid, isSystem }: Lab.Note): JsonObject => ({
  id,
  type: null,
  body,
  author: userJson(author),
  system: isSystem,
  noteable_iid: iid,
  noteable_type: "MergeRequest"
})

/** The most characters that the platform takes in a note. */
const mostCharacters = 1_000_000

const onMergeRequest = (role: number, run: (project: Lab.Project, iid: number, call: Call) => Reply): Operation =>
  onProject(role, (project, call) => {
    const iid = Number(call.path["noteable_id"] ?? call.path["merge_request_iid"])
    return project.mergeRequests.some((each) => each.iid === iid) ? run(project, iid, call) : missing("Merge request")
  })

/** Only the author of a note, and maintainers, may change it. */
const onNote = (run: (project: Lab.Project, note: Lab.Note, call: Call) => Reply): Operation =>
  onMergeRequest(Lab.roles.reporter, (project, iid, call) => {
    const note = project.notes.find((each) => each.iid === iid && each.id === Number(call.path["note_id"]))
    if (note === undefined) return missing("Note")
    return byAccount((account) => {
      const isAllowed =
        note.author.id === account.id || (project.members.get(call.token ?? "") ?? 0) >= Lab.roles.maintainer
      return isAllowed ? run(project, note, call) : refusal(403, "403 Forbidden")
    })(call)
  })

/** The operations. */
export const operations: Operations = {
  getApiV4ProjectsIdRepositoryCommitsShaMergeRequests: onProject(0, (project, call) => {
    const sha = call.path["sha"] ?? ""
    if (!Lab.knows(project, sha)) return missing("Commit")
    const state = call.query.get("state")
    const found = project.mergeRequests.filter(
      (each) => (each.sha === sha || each.commits.has(sha)) && (state === null || each.state === state)
    )
    const { headers, items } = paged(call, found)
    return { status: 200, headers, members: items.map((each) => mergeRequestJson(project, each)) }
  }),

  getApiV4ProjectsIdMergeRequests: onProject(0, (project, call) => {
    const state = call.query.get("state")
    const target = call.query.get("target_branch")
    const found = project.mergeRequests
      .filter((each) => (state === null || each.state === state) && (target === null || each.target === target))
      .toReversed()
    const { headers, items } = paged(call, found)
    return { status: 200, headers, members: items.map((each) => mergeRequestJson(project, each)) }
  }),

  getApiV4ProjectsIdMergeRequestsMergeRequestIid: onMergeRequest(0, (project, iid) => {
    const found = project.mergeRequests.find((each) => each.iid === iid)
    if (found === undefined) return missing("Merge request")
    const members = mergeRequestJson(project, found)
    // Who reads one starts the check, whose result the next one sees.
    found.isChecking = false
    return { status: 200, members }
  }),

  // The platform leaves notes out of a page after it was cut: pages may be short, and not the last ones.
  getApiV4ProjectsIdMergeRequestsNoteableIdNotes: onMergeRequest(0, (project, iid, call) => {
    const all = project.notes.filter((each) => each.iid === iid)
    const { headers, items } = paged(call, call.query.get("sort") === "asc" ? all : all.toReversed())
    const shown = call.query.get("activity_filter") === "only_comments" ? items.filter((each) => !each.isSystem) : items
    return { status: 200, headers, members: shown.map(noteJson) }
  }),

  postApiV4ProjectsIdMergeRequestsNoteableIdNotes: onMergeRequest(Lab.roles.reporter, (project, iid, call) =>
    byAccount((author, { body, lab }) => {
      const content = text(body, "body")
      if (content === "" || content.length > mostCharacters) return refusal(400, "400 Bad request - Note is invalid")
      const note = { id: Lab.nextId(lab), iid, author, body: content, isSystem: false }
      project.notes.push(note)
      return { status: 201, members: noteJson(note) }
    })(call)
  ),

  putApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId: onNote((_, note, { body }) => {
    note.body = text(body, "body")
    return { status: 200, members: noteJson(note) }
  }),

  deleteApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId: onNote((project, note) => {
    project.notes.splice(project.notes.indexOf(note), 1)
    return { status: 204 }
  })
}
