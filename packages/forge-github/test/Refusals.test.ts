/** GitHub refuses requests for good, for a while, or because of a limit. */
import { assert, describe, it } from "@effect/vitest"
import { Fault, type Hub, type SimulatedGitHub } from "@lazaret/forge-simulated"
import { type ForgeError, QueueForge } from "@lazaret/services"
import { Effect, Result } from "effect"
import { GitHubManifest } from "../src/index.ts"
import { asApp, layer, ref, sha, started } from "./connection.ts"

interface Given {
  readonly forge: QueueForge["Service"]
  readonly github: SimulatedGitHub.SimulatedGitHub
  readonly repository: Hub.Repository
}

const given = <A, E>(run: (all: Given) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { github, repository } = yield* started
    repository.queue = []
    const forge = QueueForge.use((each) => run({ forge: each, github, repository }))
    return yield* Effect.provide(forge, layer(github, asApp(github)))
  })

const reasonOf = <A>(effect: Effect.Effect<A, ForgeError>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.reason : "done"))

const check = { name: "lazaret/queue", sha, conclusion: "success", title: "Passed", url: null } as const

/** Refusals of REST with the reason that each is. */
const refusals: ReadonlyArray<readonly [number, string, ForgeError["reason"]]> = [
  [422, `No commit found for SHA: ${sha}`, "unavailable"],
  [409, "Conflict", "unavailable"],
  [403, "You have exceeded a secondary rate limit and have been temporarily blocked.", "rate_limited"],
  [403, "You have triggered an abuse detection mechanism. Please wait a few minutes.", "rate_limited"],
  [403, "API rate limit exceeded for installation ID 1.", "rate_limited"],
  [422, "Validation Failed: was submitted too quickly", "rate_limited"],
  [429, "Too Many Requests", "rate_limited"],
  [403, "This installation has been suspended", "not_installed"],
  [403, "Resource not accessible by integration", "refused"],
  [403, "Repository was archived so is read-only.", "refused"],
  [404, "Not Found", "refused"],
  [422, "Invalid request.", "refused"],
  [451, "Repository access blocked", "refused"]
]

/** Errors of GraphQL with the reason that each is; data next to them counts for nothing. */
const errors: ReadonlyArray<readonly [string | null, string, ForgeError["reason"]]> = [
  ["RATE_LIMITED", "API rate limit exceeded", "rate_limited"],
  [null, "You have exceeded a secondary rate limit.", "rate_limited"],
  ["RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.", "unavailable"],
  ["SERVICE_UNAVAILABLE", "timeout", "unavailable"],
  [null, "Something has gone wrong", "unavailable"],
  ["FORBIDDEN", "Resource not accessible by integration", "refused"]
]

describe("what GitHub refuses", () => {
  for (const [status, message, reason] of refusals) {
    it.effect(`the answer ${status} "${message.slice(0, 50)}" to a write is ${reason}`, () =>
      given(({ forge, github }) =>
        Effect.gen(function* () {
          github.server.faults.next("checks/create", { kind: "Refusal", status, message })
          assert.strictEqual(yield* reasonOf(forge.setCheck(ref, check)), reason)
        })
      )
    )
  }

  for (const [type, message, reason] of errors) {
    it.effect(`the error "${message}" of GraphQL is ${reason}, with data or without`, () =>
      given(({ forge, github }) =>
        Effect.gen(function* () {
          for (const hasData of [true, false]) {
            const fault: Fault.Fault = { kind: "Errors", message, hasData, ...(type === null ? {} : { type }) }
            github.server.faults.next("graphql", fault, 4)
            assert.strictEqual(yield* reasonOf(forge.queue(ref, "main")), reason)
            github.server.faults.clear()
          }
        })
      )
    )
  }

  it.effect("a repository that GitHub does not show is refused, and is not an empty queue", () =>
    given(({ forge, github, repository }) =>
      Effect.gen(function* () {
        yield* forge.queue(ref, "main")
        github.server.hub.repositories.splice(github.server.hub.repositories.indexOf(repository), 1)
        assert.strictEqual(yield* reasonOf(forge.queue(ref, "main")), "refused")
        assert.strictEqual(yield* reasonOf(forge.openPulls(ref, "main")), "refused")
      })
    )
  )

  it.effect("after a transfer to an account without the app nothing can be written", () =>
    given(({ forge, github, repository }) =>
      Effect.gen(function* () {
        yield* forge.setCheck(ref, check)
        github.renameRepository(repository, repository.name, "elsewhere")
        assert.strictEqual(yield* reasonOf(forge.setCheck(ref, { ...check, conclusion: "failure" })), "refused")
      })
    )
  )
})

describe("the permissions of the app", () => {
  it.effect("the app of the tests has the permissions of the manifest", () =>
    given(({ github }) =>
      Effect.sync(() => assert.deepStrictEqual({ ...github.app.permissions }, { ...GitHubManifest.permissions }))
    )
  )

  it.effect("with them it reads the queue and sets checks, and may neither queue nor take out", () =>
    given(({ forge, github, repository }) =>
      Effect.gen(function* () {
        const { number } = github.openPull(repository, { head: sha })
        assert.strictEqual(yield* reasonOf(forge.queue(ref, "main")), "done")
        assert.strictEqual(yield* reasonOf(forge.setCheck(ref, check)), "done")
        assert.strictEqual(yield* reasonOf(forge.enqueue(ref, { number, head: sha })), "refused")
        github.grant({ contents: "write" })
        assert.strictEqual(yield* reasonOf(forge.enqueue(ref, { number, head: sha })), "done")
        github.grant({ contents: "read" })
        assert.strictEqual(yield* reasonOf(forge.dequeue(ref, number)), "refused")
      })
    )
  )

  it.effect("a pull request with a conflict, without its review, or with a red check does not enter", () =>
    given(({ forge, github, repository }) =>
      Effect.gen(function* () {
        github.grant({ contents: "write" })
        repository.branchRules?.push({
          type: "required_status_checks",
          parameters: { required_status_checks: [{ context: "unit" }] }
        })
        const pull = github.openPull(repository, { head: sha })
        const entry = reasonOf(forge.enqueue(ref, { number: pull.number, head: sha }))
        pull.mergeable = "CONFLICTING"
        assert.strictEqual(yield* entry, "refused")
        delete pull.mergeable
        pull.review = "REVIEW_REQUIRED"
        assert.strictEqual(yield* entry, "refused")
        pull.review = "APPROVED"
        const members = { name: "unit", status: "completed", conclusion: "failure" }
        repository.checkRuns.push({ id: 1, headSha: sha, appId: 1, members, annotations: [] })
        assert.strictEqual(yield* entry, "refused")
        repository.checkRuns.push({
          id: 2,
          headSha: sha,
          appId: 1,
          members: { ...members, conclusion: "skipped" },
          annotations: []
        })
        assert.strictEqual(yield* entry, "done")
      })
    )
  )
})
