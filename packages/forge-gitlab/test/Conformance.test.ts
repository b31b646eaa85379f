import { describe, it } from "@effect/vitest"
import { Conformance, Platform, type Point } from "@lazaret/forge-conformance"
import { type SimulatedGitLab } from "@lazaret/forge-simulated"
import { Effect, Layer } from "effect"
import { layer, ref, started } from "./connection.ts"

const operations: Readonly<Record<Point, string>> = {
  repository: "getApiV4ProjectsId",
  readReport: "getApiV4ProjectsIdRepositoryCommitsShaStatuses",
  writeReport: "postApiV4ProjectsIdStatusesSha",
  readPulls: "getApiV4ProjectsIdRepositoryCommitsShaMergeRequests",
  readNotes: "getApiV4ProjectsIdMergeRequestsNoteableIdNotes",
  createNote: "postApiV4ProjectsIdMergeRequestsNoteableIdNotes",
  editNote: "putApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId",
  removeNote: "deleteApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId"
}

type Started = Effect.Success<typeof started>

const platform = ({ gitLab, project }: Started): Platform["Service"] => {
  const { lab } = gitLab.server
  const others = gitLab.addAccount("others-token", "others")
  const mergeRequest = (iid: number) => project.mergeRequests.find((each) => each.iid === iid)
  return {
    ref,
    unknown: { owner: "acme", repository: "unknown" },
    defaultBranch: "main",
    showsProgress: false,
    secrets: ["server-token"],
    commit: Effect.sync(() => {
      const commit = String((lab.lastId += 1)).padStart(40, "0")
      project.branches.set(`branch-${commit}`, commit)
      gitLab.addPipeline(project, { sha: commit, ref: `branch-${commit}`, status: "running", jobs: [{}] })
      return commit
    }),
    openPull: (head) => Effect.sync(() => gitLab.open(project, { head }).iid),
    push: (iid, head) => Effect.sync(() => pushed(gitLab, project, mergeRequest(iid), head)),
    shown: (commit) =>
      Effect.sync(() => {
        const latest = project.statuses.findLast(({ name, sha }) => name === "Lazaret" && sha === commit)
        if (latest === undefined) return null
        return {
          conclusion: latest.status === "failed" ? "failure" : latest.status === "success" ? "success" : null,
          title: latest.description ?? ""
        }
      }),
    notes: (iid) => Effect.sync(() => project.notes.filter((each) => each.iid === iid).map(({ body }) => body)),
    noteOfOthers: (iid, body) =>
      Effect.sync(() => void project.notes.push({ id: (lab.lastId += 1), iid, author: others, body, isSystem: false })),
    failRun: (commit) => Effect.sync(() => void gitLab.addPipeline(project, { sha: commit })),
    writes: Effect.sync(
      () => gitLab.server.seen.filter(({ operation }) => /^(?:post|put|delete)/u.test(operation)).length
    ),
    fail: (point, fault) => Effect.sync(() => gitLab.server.faults.next(operations[point], fault)),
    heal: Effect.sync(() => gitLab.server.faults.clear())
  }
}

const pushed = (
  gitLab: SimulatedGitLab.SimulatedGitLab,
  project: Started["project"],
  mergeRequest: Parameters<SimulatedGitLab.SimulatedGitLab["push"]>[1] | undefined,
  head: string
): void => {
  if (mergeRequest !== undefined) gitLab.push(project, mergeRequest, head)
}

describe("GitLab keeps the laws of a hosting platform", () => {
  for (const { name, run } of Conformance.cases) {
    it.effect(name, () =>
      Effect.flatMap(started, (all) =>
        Effect.provide(run, Layer.merge(layer(all.gitLab), Layer.succeed(Platform, platform(all))))
      )
    )
  }
})
