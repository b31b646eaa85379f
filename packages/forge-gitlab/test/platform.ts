/** The simulated GitLab as the platform of the cases of merge queues. */
import type { QueuePlatform } from "@lazaret/forge-conformance"
import { Lab } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ref, type started } from "./connection.ts"

type Started = Effect.Success<typeof started>

const states = {
  success: "success",
  failure: "failed",
  neutral: "success",
  skipped: "skipped",
  cancelled: "canceled",
  timed_out: "failed"
} as const

/** The platform, as the cases of merge queues move it. A workflow is a pipeline on a ref of its own. */
export const platform = ({ gitLab, project }: Started): QueuePlatform["Service"] => {
  const { faults, lab } = gitLab.server
  const { objects } = project
  const tipOf = () => project.branches.get("main") ?? ""
  const commit = (parents: ReadonlyArray<string>) => {
    const content = String(Lab.nextId(lab))
    const [parent] = parents
    const base = parent === undefined ? null : (objects.commit(parent)?.tree ?? null)
    return objects.write({ tree: objects.tree(base, { [`file-${content}`]: content }), parents, message: "change" })
  }
  if (tipOf() === "") project.branches.set("main", commit([]))
  const numbered = (iid: number) => project.mergeRequests.find((each) => each.iid === iid)
  const opened = (isDraft: boolean) =>
    Effect.sync(() => {
      const head = commit([tipOf()])
      const mergeRequest = gitLab.open(project, { head })
      mergeRequest.isDraft = isDraft
      return { number: mergeRequest.iid, head }
    })
  const setState = (iid: number, state: "opened" | "closed") =>
    Effect.sync(() => void Object.assign(numbered(iid) ?? {}, { state }))
  const pipelineOf = (sha: string, branch: string, source = "push") =>
    project.pipelines.find((each) => each.sha === sha && each.ref === branch) ??
    gitLab.addPipeline(project, { sha, ref: branch, source, status: "running" })
  const job = (sha: string, name: string, status: string, branch = "w1", source?: string) => {
    const { id: pipeline } = pipelineOf(sha, branch, source)
    const id = Lab.nextId(lab)
    const targetUrl = `https://gitlab.test/-/jobs/${id}`
    project.statuses.push({ id, sha, ref: branch, name, by: 1, status, description: null, targetUrl, pipeline })
  }
  const unused = Effect.die("GitLab has none")
  return {
    ref,
    branch: "main",
    openPull: opened(false),
    openDraft: opened(true),
    push: (number) =>
      Effect.sync(() => {
        const mergeRequest = numbered(number)
        const head = commit([mergeRequest?.sha ?? tipOf()])
        if (mergeRequest !== undefined) gitLab.push(project, mergeRequest, head)
        return head
      }),
    close: (number) => setState(number, "closed"),
    reopen: (number) => setState(number, "opened"),
    enter: () => unused,
    leave: () => unused,
    build: unused,
    merge: unused,
    lag: unused,
    advance: (isForced) =>
      Effect.sync(() => {
        const sha = commit(isForced ? (objects.commit(tipOf())?.parents ?? []) : [tipOf()])
        project.branches.set("main", sha)
        return sha
      }),
    check: (sha, name, conclusion, workflow = 1) =>
      Effect.sync(() => job(sha, name, conclusion === null ? "running" : states[conclusion], `w${workflow}`)),
    status: (sha, name, state) =>
      Effect.sync(() => job(sha, name, state === "failure" ? "failed" : state, "other", "external")),
    protect: () => unused,
    rename: unused,
    transfer: unused,
    install: unused,
    workflow: (sha, jobs) =>
      Effect.sync(() => {
        const branch = `w${1 + project.pipelines.filter((each) => each.sha === sha).length}`
        for (const { name } of jobs) job(sha, name, "running", branch)
      }),
    finish: (sha, name, conclusion) =>
      Effect.sync(() => Lab.finish(project, { sha, name, status: states[conclusion] })),
    age: () => unused,
    shown: () => unused,
    attempts: (sha) =>
      Effect.sync(() => {
        const found = project.pipelines.find((each) => each.sha === sha && each.ref === "w1")
        return found === undefined ? 0 : 1 + found.retries
      }),
    isCancelled: (sha) =>
      Effect.sync(() => {
        for (let requests = 0; requests < 10; requests += 1) Lab.pass(project)
        return pipelineOf(sha, "w1").status === "canceled"
      }),
    permit: (account, permission) =>
      Effect.sync(() => {
        gitLab.addAccount(`${account}-token`, account)
        project.members.set(`${account}-token`, permission === "write" ? Lab.roles.developer : Lab.roles.reporter)
      }),
    grant: () => unused,
    archive: () => unused,
    suspend: () => unused,
    pass: TestClock.adjust("5 minutes"),
    fail: (fault) => Effect.sync(() => faults.next("*", fault)),
    failWrite: (fault) => Effect.sync(() => faults.next("postApiV4ProjectsIdPipelinesPipelineIdRetry", fault))
  }
}
