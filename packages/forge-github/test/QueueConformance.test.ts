import { describe, it } from "@effect/vitest"
import { QueueConformance, QueuePlatform } from "@lazaret/forge-conformance"
import { Hub, MergeQueue } from "@lazaret/forge-simulated"
import { Effect, Layer } from "effect"
import { asApp, layer, ref, started } from "./connection.ts"

type Started = Effect.Success<typeof started>

const platform = ({ github, repository }: Started): QueuePlatform["Service"] => {
  const { faults, hub } = github.server
  const runOf = (sha: string) => repository.runs.find(({ headSha }) => headSha === sha)
  const check = (headSha: string, name: string, conclusion: string | null, suiteId = 1) => {
    const status = conclusion === null ? "in_progress" : "completed"
    const members = { name, status, started_at: Hub.timestamp(hub) }
    hub.ahead += 1000
    const id = (hub.lastId += 1)
    const ended = conclusion === null ? {} : { conclusion }
    repository.checkRuns.push({ id, headSha, appId: 1, suiteId, members: { ...members, ...ended }, annotations: [] })
  }
  const turn = Effect.sync(() => void MergeQueue.turn(hub, repository, 0))
  return {
    ref,
    branch: repository.defaultBranch,
    openPull: Effect.sync(() => {
      const head = String((hub.lastId += 1)).padStart(40, "0")
      return { number: github.openPull(repository, { head }).number, head }
    }),
    close: (number) =>
      Effect.sync(() => {
        const pull = repository.pulls.find((each) => each.number === number)
        if (pull !== undefined) pull.state = "closed"
      }),
    enter: (number) => Effect.sync(() => MergeQueue.enter(repository, number)),
    build: turn,
    merge: Effect.suspend(() => {
      const group = repository.queue?.[0]?.group
      if (group !== null && group !== undefined) check(group.id, "needed", "success")
      return turn
    }),
    check: (sha, name, conclusion, workflow) => Effect.sync(() => check(sha, name, conclusion, workflow)),
    run: (headSha, conclusion) =>
      Effect.sync(() => {
        const status = conclusion === null ? "in_progress" : "completed"
        const known = runOf(headSha)
        if (known === undefined) github.addRun(repository, { headSha, status, conclusion })
        else Object.assign(known, { status, conclusion })
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
    isCancelled: (sha) => Effect.sync(() => runOf(sha)?.conclusion === "cancelled"),
    permit: (account, permission) => Effect.sync(() => void repository.people?.set(account, permission)),
    fail: (fault) => Effect.sync(() => faults.next("*", fault))
  }
}

const needed = {
  type: "required_status_checks",
  parameters: { required_status_checks: [{ context: "needed" }], strict_required_status_checks_policy: false }
}

describe("GitHub keeps the laws of a merge queue", () => {
  for (const { name, run } of QueueConformance.cases) {
    it.effect(name, () =>
      Effect.flatMap(started, (all) => {
        all.repository.queue = []
        all.repository.branchRules?.push(needed)
        const ports = Layer.merge(layer(all.github, asApp(all.github)), Layer.succeed(QueuePlatform, platform(all)))
        return Effect.provide(run, ports)
      })
    )
  }
})
