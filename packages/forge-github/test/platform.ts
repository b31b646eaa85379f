/** The simulated GitHub as the platform of the cases of merge queues. */
import type { Protection, QueuePlatform } from "@lazaret/forge-conformance"
import { BranchRules, Hub, MergeQueue, Workflows } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ref, type started } from "./connection.ts"

type Started = Effect.Success<typeof started>

/** The platform, as the cases of merge queues move it. */
export const platform = ({ github, repository }: Started): QueuePlatform["Service"] => {
  const { faults, hub } = github.server
  const runOf = (sha: string) => repository.runs.find(({ headSha }) => headSha === sha)
  const nextHead = () => String((hub.lastId += 1)).padStart(40, "0")
  const opened = (isDraft: boolean) =>
    Effect.sync(() => {
      const head = nextHead()
      const pull = github.openPull(repository, { head })
      Object.assign(pull, { isDraft })
      return { number: pull.number, head }
    })
  const setState = (number: number, state: "open" | "closed") =>
    Effect.sync(() => {
      const pull = repository.pulls.find((each) => each.number === number)
      if (pull !== undefined) pull.state = state
    })
  const check = (headSha: string, name: string, conclusion: string | null, suiteId = 1) => {
    const status = conclusion === null ? "in_progress" : "completed"
    const members = { name, status, started_at: Hub.timestamp(hub) }
    hub.ahead += 1000
    const id = (hub.lastId += 1)
    const ended = conclusion === null ? {} : { conclusion }
    repository.checkRuns.push({ id, headSha, appId: 1, suiteId, members: { ...members, ...ended }, annotations: [] })
  }
  const turn = Effect.sync(() => void MergeQueue.turn(hub, repository, Hub.now(hub)))
  return {
    ref,
    branch: repository.defaultBranch,
    openPull: opened(false),
    openDraft: opened(true),
    push: (number) =>
      Effect.sync(() => {
        const head = nextHead()
        MergeQueue.push(repository, number, head)
        return head
      }),
    close: (number) => setState(number, "closed"),
    reopen: (number) => setState(number, "open"),
    enter: (number) => Effect.sync(() => MergeQueue.enter(repository, number)),
    leave: (number) =>
      Effect.sync(() => MergeQueue.leave(repository, number, { at: Hub.now(hub), reason: "manual", by: "ada" })),
    build: turn,
    merge: Effect.suspend(() => {
      const group = repository.queue?.[0]?.group
      if (group !== null && group !== undefined) check(group.id, "needed", "success")
      return turn
    }),
    advance: (isForced) =>
      Effect.sync(() => {
        const [commit, tip] = [nextHead(), Hub.tipOf(repository)]
        Hub.advance(repository, commit, isForced ? (repository.parents?.get(tip) ?? "m0") : tip)
        return commit
      }),
    check: (sha, name, conclusion, workflow) => Effect.sync(() => check(sha, name, conclusion, workflow)),
    status: (sha, context, state) =>
      Effect.sync(() => void repository.statuses.push({ sha, members: { context, state } })),
    protect: ({ hasQueue, limits, older, rulesets }) =>
      Effect.sync(() => {
        const app = github.app.id
        repository.branchRules?.splice(0)
        for (const { isOurs, name: context } of rulesets) {
          const required = { context, ...(isOurs ? { integration_id: app } : {}) }
          const parameters = { required_status_checks: [required], strict_required_status_checks_policy: false }
          repository.branchRules?.push({ type: "required_status_checks", parameters })
        }
        if (hasQueue) repository.branchRules?.push(queueRule(limits))
        repository.protectedBy = older.map(({ isOurs, name: context }) => ({ context, ...(isOurs ? { app } : {}) }))
      }),
    rename: Effect.sync(() => github.renameRepository(repository, `${repository.name}-renamed`)),
    transfer: Effect.sync(() => github.renameRepository(repository, repository.name, "umbrella")),
    install: Effect.sync(() => void github.install("umbrella")),
    workflow: (headSha, jobs) =>
      Effect.sync(() => {
        Workflows.start(hub, repository, { headSha, jobs })
        hub.ahead += 1000
      }),
    finish: (sha, name, conclusion) =>
      Effect.sync(() => {
        const run = runOf(sha)
        hub.ahead += 1000
        if (run !== undefined) Workflows.end(hub, repository, run, { name, conclusion })
        hub.ahead += 1000
      }),
    age: (days) =>
      Effect.sync(() => {
        hub.ahead += days * 86_400_000
        // The client asks with a token that ended three times more, within seconds of the real clock.
        for (const token of hub.tokens.values()) token.expiresAt += days * 86_400_000
      }),
    shown: (sha) =>
      Effect.sync(() => {
        const run = repository.checkRuns.findLast(
          ({ headSha, members }) => headSha === sha && members["name"] === "lazaret/queue"
        )
        if (run === undefined) return undefined
        const { conclusion, status } = run.members
        if (status !== "completed") return null
        return conclusion === "success" ? "success" : "failure"
      }),
    attempts: (sha) => Effect.sync(() => runOf(sha)?.attempt ?? 0),
    isCancelled: (sha) =>
      Effect.sync(() => {
        Workflows.settle(hub, repository)
        return runOf(sha)?.conclusion === "cancelled"
      }),
    permit: (account, permission) => Effect.sync(() => void repository.people?.set(account, permission)),
    grant: (permissions) => Effect.sync(() => github.grant(permissions)),
    archive: (isArchived) => Effect.sync(() => void (repository.isArchived = isArchived)),
    suspend: (isSuspended) =>
      Effect.sync(() => {
        for (const installation of hub.installations.values()) installation.isSuspended = isSuspended
      }),
    lag: Effect.sync(() => void (repository.lag = 300_000)),
    pass: Effect.andThen(
      TestClock.adjust("5 minutes"),
      Effect.sync(() => void (hub.ahead += 300_000))
    ),
    fail: (fault) => Effect.sync(() => faults.next("*", fault)),
    failWrite: (fault) => Effect.sync(() => faults.next("actions/re-run-workflow-failed-jobs", fault))
  }
}

const queueRule = (limits: Protection["limits"]) => ({
  ...BranchRules.mergeQueue,
  parameters: {
    ...BranchRules.mergeQueue.parameters,
    ...(limits === undefined
      ? {}
      : { grouping_strategy: limits.grouping.replace("_", "").toUpperCase(), min_entries_to_merge: limits.minimum })
  }
})

/** The rule by which the queue of the cases merges its groups. */
export const needed = {
  type: "required_status_checks",
  parameters: { required_status_checks: [{ context: "needed" }], strict_required_status_checks_policy: false }
}
