/** The repository of a story at the simulated GitHub: its queue and its CI go on by a time that runs fast. */
import { setTimeout as sleep } from "node:timers/promises"
import { BranchRules, type Hub, MergeQueue, SimulatedGitHub, Workflows } from "@lazaret/forge-simulated"
import * as Pulls from "./Pulls.ts"
import type { ScaledTime } from "./ScaledTime.ts"

/** The world needs from outside the platform, the time, and requests to the server, which may be down. */
export interface Surroundings {
  readonly github: SimulatedGitHub.SimulatedGitHub
  readonly time: ScaledTime
  /** Uploads a report; repeated until it is acknowledged. */
  readonly upload: (repository: string, query: Readonly<Record<string, string>>, body: string) => Promise<void>
  /** Sends what is in the outbox of the platform, once; yields the statuses of the answers, 0 without one. */
  readonly deliver: () => Promise<ReadonlyArray<number>>
}

/** The rules of the platform; the timeout in minutes. */
export interface Rules {
  readonly timeout: number
  readonly minimum: number
  readonly isHeadGreen: boolean
}

interface Attempt {
  readonly run: Hub.WorkflowRun
  readonly number: number
  attempt: number
  startedAt: number
  isReported: boolean
}

const minute = 60_000

/** The repository of a story. */
export const make = (
  { deliver, github, time, upload }: Surroundings,
  name: string,
  pulls: ReadonlyArray<Pulls.Pull>,
  file: string,
  rules: Rules
) => {
  const { hub } = github.server
  const repository = github.addRepository({ owner: "acme", name, files: { ".lazaret/queue.yml": file } })
  repository.queue = []
  const parameters = {
    ...BranchRules.mergeQueue.parameters,
    check_response_timeout_minutes: rules.timeout,
    min_entries_to_merge: rules.minimum,
    min_entries_to_merge_wait_minutes: 60,
    grouping_strategy: rules.isHeadGreen ? "HEADGREEN" : "ALLGREEN"
  }
  repository.branchRules?.push(BranchRules.requiredChecks(github), { ...BranchRules.mergeQueue, parameters })
  const world = { hasJobs: true, isDelivered: true }
  const attempts = new Map<string, Attempt>()
  const planOf = (number: number): Pulls.Pull => pulls[number - 1] ?? Pulls.green

  const send = async (event: string, members: Parameters<typeof github.enqueue>[2]): Promise<void> => {
    if (!world.isDelivered) return
    github.enqueue(repository, event, members)
    await deliver()
  }

  /** The file changes; a person sends the delivery again until the server has accepted it. */
  const configure = async (text: string): Promise<void> => {
    repository.files.set(".lazaret/queue.yml", text)
    const commits = [{ added: [], modified: [".lazaret/queue.yml"], removed: [] }]
    for (let isAccepted = false; !isAccepted;) {
      github.enqueue(repository, "push", { ref: "refs/heads/main", commits })
      const statuses = await deliver()
      isAccepted = statuses.length > 0 && statuses.every((status) => status === 202)
      if (!isAccepted) await sleep(200)
    }
  }

  const testOf = (number: number): string => `of ${number}`
  const reportOf = (test: string, failure: string): string => {
    const inner = failure === "" ? "" : `<failure message="${failure}"/>`
    return `<testsuite name="cart"><testcase classname="cart" name="${test}">${inner}</testcase></testsuite>`
  }

  /** Known flakes have failed and passed on one commit of the base; the other tests have passed there. */
  const prepare = async (): Promise<void> => {
    const base = { pipeline_name: "CI", job_name: "unit", commit: "b".repeat(40), branch: "main" }
    for (const [index, { of }] of pulls.entries()) {
      const number = index + 1
      if (of === "flaky") await upload(name, { ...base, run_id: `${number}a` }, reportOf(testOf(number), "timed out"))
      await upload(name, { ...base, run_id: `${number}b` }, reportOf(testOf(number), ""))
    }
  }

  const open = (): void => {
    for (const _ of pulls) {
      const head = `${hub.lastId + 1}`.padStart(40, "a")
      github.openPull(repository, { head })
      const run = Workflows.start(hub, repository, { headSha: head, event: "pull_request", jobs: [{ name: "unit" }] })
      Workflows.end(hub, repository, run, { name: "unit", conclusion: "success" })
    }
  }

  const startRuns = (now: number): void => {
    for (const { group, number } of repository.queue ?? []) {
      if (group === null || group.isLost === true || attempts.has(group.id) || !world.hasJobs) continue
      const { after, besides } = planOf(number)
      const jobs = [
        ...(after > 0 ? [{ name: "build" }] : []),
        { name: "unit", needs: after > 0 ? ["build"] : [] },
        ...(besides > 0 ? [{ name: "other" }] : [])
      ]
      const run = Workflows.start(hub, repository, { headSha: group.id, event: "merge_group", jobs })
      attempts.set(group.id, { run, number, attempt: 1, startedAt: now, isReported: false })
    }
  }

  /** Jobs that are due end; one that failed reports its test first. */
  const work = async (now: number): Promise<void> => {
    Workflows.settle(hub, repository)
    for (const known of attempts.values()) {
      const { number, run } = known
      if (run.attempt !== known.attempt)
        Object.assign(known, { attempt: run.attempt, startedAt: now, isReported: false })
      if (run.status === "completed") continue
      const { after, besides, ends, minutes } = planOf(number)
      const since = (now - known.startedAt) / minute
      const conclusion = ends[Math.min(known.attempt, ends.length) - 1] ?? "success"
      if (since >= after) Workflows.end(hub, repository, run, { name: "build", conclusion: "success" })
      if (since >= after + minutes) {
        if (!known.isReported) await report(known, conclusion)
        known.isReported = true
        Workflows.end(hub, repository, run, { name: "unit", conclusion })
      }
      if (since >= besides) Workflows.end(hub, repository, run, { name: "other", conclusion: "success" })
      // The loop above changes the run.
      if ((run.status as string) === "completed") await send("workflow-run-completed", { workflow_run: { id: run.id } })
    }
  }

  const report = async ({ attempt, number, run }: Attempt, conclusion: Hub.Conclusion): Promise<void> => {
    const isSilent = conclusion === "failure" && planOf(number).of === "nothing"
    if (isSilent || (conclusion !== "failure" && conclusion !== "success")) return
    const failure = conclusion === "success" ? "" : planOf(number).of === "flaky" ? "timed out" : `broken by ${number}`
    const branch = `gh-readonly-queue/main/pr-${number}-${"b".repeat(40)}`
    const query = { pipeline_name: "CI", job_name: "unit", commit: run.headSha, branch, run_id: `${run.id}` }
    await upload(name, { ...query, run_attempt: `${attempt}` }, reportOf(testOf(number), failure))
  }

  let isBusy = false
  /** The platform goes on until the present. */
  const turn = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    try {
      const now = time.now()
      MergeQueue.turn(hub, repository, now)
      startRuns(now)
      await work(now)
    } finally {
      isBusy = false
    }
  }

  const removed = (reason: string): ReadonlyArray<number> =>
    (repository.removals ?? []).filter((each) => each.reason === reason).map(({ number }) => number)

  return {
    name,
    repository,
    world,
    configure,
    prepare,
    open,
    turn,
    enter: (...numbers: ReadonlyArray<number>) => {
      for (const number of numbers) MergeQueue.enter(repository, number)
    },
    leave: (number: number) => MergeQueue.leave(repository, number, { at: time.now(), reason: "manual", by: "ada" }),
    /** The pull requests that were merged, in their order. */
    merged: (): ReadonlyArray<number> => removed("merged"),
    evicted: (): ReadonlyArray<number> => removed("failed_checks"),
    /** Every removal in the words of the platform, with its time. */
    removals: (): ReadonlyArray<Hub.Removal> => repository.removals ?? [],
    isBad: (number: number): boolean => planOf(number).isBad
  }
}

/** A repository of a story. */
export type World = ReturnType<typeof make>
