import { assert, describe, it } from "@effect/vitest"
import { BranchRules, type Hub, type SimulatedGitHub } from "@lazaret/forge-simulated"
import { QueueForge } from "@lazaret/services"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { asApp, layer, ref, sha, started } from "./connection.ts"

/** Runs an effect with the queue of the simulated platform. */
const withQueue = <A, E>(
  run: (
    forge: QueueForge["Service"],
    github: SimulatedGitHub.SimulatedGitHub,
    repository: Hub.Repository
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const { github, repository } = yield* started
    repository.queue = []
    return yield* Effect.flatMap(QueueForge, (forge) => run(forge, github, repository)).pipe(
      Effect.provide(layer(github, asApp(github)))
    )
  })

const check = (repository: Hub.Repository, headSha: string, name: string, members: Record<string, string>) => {
  const id = repository.checkRuns.length + 1
  repository.checkRuns.push({ id, headSha, appId: 1, members: { name, ...members }, annotations: [] })
}

const passed = { status: "completed", conclusion: "success" }
const failed = { status: "completed", conclusion: "failure" }

describe("the merge queue of GitHub", () => {
  it.effect("a pull request has its labels, alone and in the list", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        const pull = github.openPull(repository, { head: sha })
        pull.labels = ["bug", "on hold"]
        const alone = yield* forge.pull(ref, pull.number)
        const [listed] = yield* forge.openPulls(ref, pull.base.ref)
        assert.deepStrictEqual(
          [Option.getOrNull(alone)?.labels, listed?.labels],
          [
            ["bug", "on hold"],
            ["bug", "on hold"]
          ]
        )
      })
    )
  )

  it.effect("the permission of an account is what the platform says now; an unknown account has none", () =>
    withQueue((forge, _, repository) =>
      Effect.gen(function* () {
        const levels = ["admin", "write", "read", "none"] as const
        for (const level of levels) repository.people?.set(level, level)
        const found = yield* Effect.forEach([...levels, "nobody"], (login) => forge.permission(ref, login))
        assert.deepStrictEqual(found, ["write", "write", "read", "none", "none"])
      })
    )
  )

  it.effect("a check that ran again counts its attempts, the newest decides, and statuses are checks", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        github.openPull(repository, { head: sha })
        check(repository, sha, "unit", failed)
        check(repository, sha, "unit", { status: "in_progress" })
        check(repository, sha, "lint", passed)
        check(repository, sha, "lazaret/queue", passed)
        repository.statuses.push({ sha, members: { context: "deploy", state: "error" } })
        const checks = yield* forge.checks(ref, sha)
        assert.deepStrictEqual(checks.map(({ attempt, name, state }) => `${name} ${state} ${attempt}`).toSorted(), [
          "deploy error 1",
          "lint success 1",
          "unit pending 2"
        ])
        const [open] = yield* forge.openPulls(ref, "main")
        assert.deepStrictEqual(open?.checks.map(({ name, state }) => `${name} ${state}`).toSorted(), [
          "deploy error",
          "lazaret/queue success",
          "lint success",
          "unit pending"
        ])
      })
    )
  )

  it.effect("a status that failed is not hidden by a check run with its name, nor a check run by a status", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        github.openPull(repository, { head: sha })
        check(repository, sha, "unit", passed)
        check(repository, sha, "lint", failed)
        const target = "https://ci.example.org/1"
        repository.statuses.push(
          { sha, members: { context: "unit", state: "failure", target_url: target } },
          { sha, members: { context: "lint", state: "success", target_url: "javascript:alert(1)" } }
        )
        const checks = (yield* forge.checks(ref, sha)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
        assert.deepStrictEqual(checks, [
          { name: "lint", state: "failure", attempt: 1, url: "https://github.test/Acme/Widgets/runs/2" },
          { name: "unit", state: "failure", attempt: 1, url: target }
        ])
        const [open] = yield* forge.openPulls(ref, "main")
        assert.sameDeepMembers([...(open?.checks ?? [])], checks)
      })
    )
  )

  it.effect("a run that was cancelled for a newer one of the same head does not keep it out of the queue", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        github.openPull(repository, { head: sha })
        const add = (suiteId: number, conclusion: string, startedAt: string) => {
          const members = { name: "unit", status: "completed", conclusion, started_at: startedAt }
          repository.checkRuns.push({ id: suiteId, suiteId, headSha: sha, appId: 1, members, annotations: [] })
        }
        const states = Effect.map(forge.openPulls(ref, "main"), ([open]) => open?.checks.map(({ state }) => state))
        add(1, "cancelled", "2026-01-01T00:00:00Z")
        assert.deepStrictEqual(yield* states, ["cancelled"])
        add(2, "success", "2026-01-01T00:01:00Z")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* states, ["success"])
        assert.deepStrictEqual(
          (yield* forge.checks(ref, sha)).map(({ state }) => state),
          ["cancelled"],
          "the commit that is tested for the queue has to pass in every suite"
        )
      })
    )
  )

  it.effect(
    "the adapter names required checks and the merge queue among the rules, and calls every other rule other",
    () =>
      withQueue((forge, github, repository) =>
        Effect.gen(function* () {
          const source = { ruleset_source_type: "Repository", ruleset_source: "acme/widgets", ruleset_id: 1 }
          repository.branchRules?.push(
            {
              type: "required_status_checks",
              parameters: {
                required_status_checks: [
                  { context: "lazaret/queue", integration_id: github.app.id },
                  { context: "unit" }
                ],
                strict_required_status_checks_policy: false
              },
              ...source
            },
            { ...BranchRules.mergeQueue, ...source },
            { type: "deletion", ...source }
          )
          assert.deepStrictEqual(yield* forge.rules(ref, "main"), [
            { kind: "required_check", name: "lazaret/queue", isOurs: true },
            { kind: "required_check", name: "unit", isOurs: false },
            { kind: "merge_queue", timeout: 3_600_000, grouping: "all_green", minimum: 1 },
            { kind: "other", name: "deletion" }
          ])
        })
      )
  )
})
