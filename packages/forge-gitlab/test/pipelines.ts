/** The simulated GitLab as the platform of the cases of pipelines. */
import type { Kind, PipelinePlatform } from "@lazaret/forge-conformance"
import { Lab } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { ref, type started } from "./connection.ts"

type Started = Effect.Success<typeof started>

const sources: Readonly<Record<Kind, string>> = {
  branch: "push",
  merge_request: "merge_request_event",
  merged_result: "merge_request_event",
  train: "merge_request_event",
  schedule: "schedule",
  external: "external"
}

/** The part of the ref of a merge request that the pipelines of a kind run on; others run on its branch. */
const refs: Partial<Readonly<Record<Kind, string>>> = { merge_request: "head", merged_result: "merge", train: "train" }

/** The platform, as the cases of pipelines act on it. */
export const pipelines = ({ gitLab, project }: Started): PipelinePlatform["Service"] => {
  const { objects } = project
  project.settings.mustSucceed = true
  const commit = (...parents: ReadonlyArray<string>) => {
    const content = String(Lab.nextId(gitLab.server.lab))
    const base = objects.commit(parents[0] ?? "")?.tree ?? null
    return objects.write({ tree: objects.tree(base, { [`file-${content}`]: content }), parents, message: "change" })
  }
  const tip = commit()
  project.branches.set("main", tip)
  const of = (head: string) => {
    const found = project.mergeRequests.find(({ sha }) => sha === head)
    if (found === undefined) throw new Error(`no merge request has the head ${head}`)
    return found
  }
  return {
    ref,
    open: Effect.sync(() => gitLab.open(project, { head: commit(tip) }).sha),
    push: (head) =>
      Effect.sync(() => {
        const next = commit(head)
        gitLab.push(project, of(head), next)
        return next
      }),
    start: (head, kind, state) =>
      Effect.sync(() => {
        const { iid, source } = of(head)
        const part = refs[kind]
        const { id } = gitLab.addPipeline(project, {
          sha: part === "merge" || part === "train" ? commit(tip, head) : head,
          ref: part === undefined ? source : `refs/merge-requests/${iid}/${part}`,
          source: sources[kind],
          status: state === "invalid" ? "failed" : state,
          jobs: state === "invalid" || kind === "external" ? [] : [{}]
        })
        return id
      }),
    verdicts: (pipeline) =>
      Effect.sync(() =>
        project.statuses
          .filter((each) => each.pipeline === pipeline && each.name === "Lazaret")
          .map(({ status }) => (status === "success" ? "success" : "failure"))
      ),
    retries: (pipeline) => Effect.sync(() => project.pipelines.find(({ id }) => id === pipeline)?.retries ?? 0),
    latest: (head) => Effect.sync(() => Lab.pipelinesOf(project, of(head))[0]?.id ?? null),
    isUnlocked: (head) => Effect.sync(() => Lab.mergeStatus(project, of(head)) === "mergeable")
  }
}
