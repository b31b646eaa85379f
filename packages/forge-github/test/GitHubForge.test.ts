import { assert, describe, it, vi } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import type { Fault, SimulatedGitHub } from "@lazaret/forge-simulated"
import { type Annotation, type CommitReport, Forge, type ForgeError } from "@lazaret/services"
import { Effect, Fiber, Result } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import { GitHub } from "../src/index.ts"
import { asApp, asWriter, layer, ref, sha, started } from "./connection.ts"

const report = (parts: Partial<CommitReport> = {}): CommitReport => ({
  name: "Lazaret",
  commit: sha,
  conclusion: "failure",
  title: "1 failure: 1 flaky; none blocks.",
  summary: "| Test |",
  annotations: [],
  actions: [{ id: "rerun", label: "Rerun failed jobs", description: "Run the failed jobs again" }],
  url: "https://lazaret.test/commits/1",
  ...parts
})

const annotation = (line: number): Annotation => ({
  path: "src/cart.test.ts",
  line,
  level: "failure",
  title: "new failure",
  message: "expected 1 to be 2"
})

const publish = (parts: Partial<CommitReport> = {}) =>
  Effect.flatMap(Forge, (forge) => forge.publish(ref, report(parts)))

const notes = (pull: number) => Effect.flatMap(Forge, (forge) => forge.notes(ref, pull, "<!-- lazaret -->"))

const createNote = (pull: number, body: string) => Effect.flatMap(Forge, (forge) => forge.createNote(ref, pull, body))

/** The error of an effect that must fail. */
const failure = <A, R>(effect: Effect.Effect<A, ForgeError, R>) =>
  Effect.flatMap(Effect.result(effect), (result) =>
    Result.isFailure(result) ? Effect.succeed(result.failure) : Effect.die(new Error("it succeeded"))
  )

const writesOf = ({ server }: SimulatedGitHub.SimulatedGitHub) =>
  server.seen
    .filter(({ operation }) => /create$|update$|comment$|status$/u.test(operation))
    .map(({ operation }) => operation)

describe("a report as a check run", () => {
  test("a report as a check run is created once, updated when its text changes, and left alone otherwise", function* () {
    const { github, repository } = yield* started
    yield* Effect.gen(function* () {
      yield* publish()
      yield* publish()
      yield* publish({ title: "2 failures" })
    }).pipe(Effect.provide(layer(github, asApp(github))))
    assert.deepStrictEqual(writesOf(github), ["checks/create", "checks/update"])
    assert.strictEqual(repository.checkRuns.length, 1)
    const members = repository.checkRuns[0]?.members
    assert.deepStrictEqual(members?.["output"], { title: "2 failures", summary: "| Test |" })
    assert.strictEqual(members?.["conclusion"], "failure")
  })

  it.effect(
    "a report as a check run shows each annotation once, whatever was published before, and the last report wins",
    () =>
      Effect.promise((signal) =>
        fc.assert(
          fc.asyncProperty(fc.array(reports, { minLength: 1, maxLength: 6 }), (list) =>
            Effect.runPromise(Effect.scoped(publishedInOrder(list)), { signal })
          ),
          { numRuns: 15 }
        )
      )
  )

  test("a request that fails after its effect is not sent twice: the check run is found", function* () {
    const { github, repository } = yield* started
    github.server.faults.next("checks/create", { kind: "Status", status: 502, when: "after" })
    yield* Effect.gen(function* () {
      assert.strictEqual((yield* failure(publish())).reason, "unavailable")
      yield* publish()
    }).pipe(Effect.provide(layer(github, asApp(github))))
    assert.strictEqual(repository.checkRuns.length, 1)
    assert.deepStrictEqual(writesOf(github), ["checks/create"])
  })

  test("a read that fails is repeated", function* () {
    const { github, repository } = yield* started
    github.server.faults.next("checks/list-for-ref", { kind: "Status", status: 502, when: "before" })
    yield* Effect.provide(publish(), layer(github, asApp(github)))
    assert.strictEqual(repository.checkRuns.length, 1)
  })

  test("with a token it is a commit status: the same one is not sent twice", function* () {
    const { github, repository } = yield* started
    yield* Effect.gen(function* () {
      yield* publish({ conclusion: null })
      yield* publish({ conclusion: "neutral", title: "x".repeat(200) })
      yield* publish({ conclusion: "neutral", title: "x".repeat(200) })
    }).pipe(Effect.provide(layer(github, asWriter)))
    assert.deepStrictEqual(
      repository.statuses.map(({ members: { context, description, state } }) => [
        context,
        state,
        String(description).length
      ]),
      [
        ["Lazaret", "pending", report().title.length],
        ["Lazaret", "success", 140]
      ]
    )
  })
})

const reports = fc.record({
  title: fc.constantFrom("one", "two"),
  conclusion: fc.constantFrom(null, "success" as const, "neutral" as const, "failure" as const),
  annotations: fc.uniqueArray(fc.integer({ min: 1, max: 3 })).map((lines) => lines.map(annotation)),
  fault: fc.constantFrom<Fault.Fault | null>(
    null,
    { kind: "Status", status: 500, when: "before" },
    { kind: "Status", status: 502, when: "after" },
    { kind: "Reset", when: "after" }
  )
})

const publishedInOrder = Effect.fnUntraced(function* (
  list: ReadonlyArray<Partial<CommitReport> & { readonly fault: Fault.Fault | null }>
) {
  const { github, repository } = yield* started
  yield* Effect.gen(function* () {
    for (const { fault, ...parts } of list) {
      if (fault !== null) {
        github.server.faults.next("checks/create", fault)
        github.server.faults.next("checks/update", fault)
      }
      yield* Effect.retry(publish(parts), { times: 4 })
    }
  }).pipe(Effect.provide(layer(github, asApp(github))))
  const latest = repository.checkRuns.at(-1)
  const { fault: _, ...last } = list.at(-1) ?? { fault: null }
  assert.deepStrictEqual(
    latest?.annotations.map(({ start_line: line }) => line),
    last.annotations?.map(({ line }) => line)
  )
  const { conclusion = null, output } = latest?.members ?? {}
  assert.deepStrictEqual(output?.valueOf(), { ...Object(output), title: last.title ?? "", summary: "| Test |" })
  assert.strictEqual(conclusion, last.conclusion ?? null)
})

describe("notes on a pull request", () => {
  test("notes on a pull request are found among hundreds, and only our own", function* () {
    const { github, repository } = yield* started
    const { number } = github.openPull(repository, { head: sha })
    const other = { number, user: { id: 3, login: "eve" }, appId: null, updatedAt: "2026-01-01T00:00:00Z" }
    for (let id = 1; id <= 120; id += 1) repository.comments.push({ ...other, id, body: "<!-- lazaret --> mine" })
    for (const credentials of [asApp(github), asWriter]) {
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* notes(number), [])
        yield* createNote(number, "<!-- lazaret --> one")
        yield* createNote(number, "no marker")
        const [note] = yield* notes(number)
        assert.strictEqual(note?.body, "<!-- lazaret --> one")
        const forge = yield* Forge
        yield* forge.editNote(ref, number, { id: note?.id ?? 0, body: "<!-- lazaret --> two" })
        assert.deepStrictEqual(
          (yield* notes(number)).map(({ body }) => body),
          ["<!-- lazaret --> two"]
        )
        yield* forge.removeNote(ref, number, note?.id ?? 0)
        yield* forge.removeNote(ref, number, note?.id ?? 0)
        yield* forge.editNote(ref, number, { id: note?.id ?? 0, body: "gone" })
        assert.deepStrictEqual(yield* notes(number), [])
      }).pipe(Effect.provide(layer(github, credentials)))
    }
  })
})

describe("what a repository says", () => {
  test("a repository yields its default branch, and the open pull requests of a head commit", function* () {
    const { github, repository } = yield* started
    repository.defaultBranch = "trunk"
    const open = github.openPull(repository, { head: sha, base: "release/1" })
    const closed = github.openPull(repository, { head: sha })
    github.mergePull(repository, closed, "abcdef0")
    yield* Effect.gen(function* () {
      const forge = yield* Forge
      assert.deepStrictEqual(yield* forge.repository(ref), { defaultBranch: "trunk" })
      const found = { number: open.number, head: sha, base: "release/1" }
      const own = { owner: "Acme", isFork: false }
      assert.deepStrictEqual(yield* forge.pullsAt(ref, sha), [{ ...found, source: own }])
      open.head = { ...open.head, isFork: true }
      const fork = { owner: open.user.login, isFork: true }
      assert.deepStrictEqual(yield* forge.pullsAt(ref, sha), [{ ...found, source: fork }])
      open.head = { ...open.head, sha: "fedcba9" }
      assert.deepStrictEqual(yield* forge.pullsAt(ref, sha), [])
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("a repository yields its open pull requests, at most 100", function* () {
    const { github, repository } = yield* started
    const open = Array.from({ length: 103 }, (_, index) => github.openPull(repository, { head: String(index) }))
    if (open[0] !== undefined) github.mergePull(repository, open[0], "abcdef0")
    const found = yield* Effect.provide(
      Forge.use(({ openPulls }) => openPulls(ref)),
      layer(github, asApp(github))
    )
    assert.strictEqual(found.length, 100)
    assert.deepStrictEqual(found[0], {
      number: 2,
      head: "1",
      base: "main",
      source: { owner: "Acme", isFork: false }
    })
  })

  test("the failed runs of a commit start again, once; one that a newer run of its workflow replaced does not", function* () {
    const { github, repository } = yield* started
    github.addRun(repository, { headSha: sha, name: "Lint", conclusion: "cancelled" })
    github.addRun(repository, { headSha: sha, name: "Lint", conclusion: "success" })
    const failed = github.addRun(repository, { headSha: sha })
    github.addRun(repository, { headSha: "fedcba9" })
    yield* Effect.gen(function* () {
      const forge = yield* Forge
      assert.strictEqual(yield* forge.rerunFailedJobs(ref, sha), 1)
      assert.strictEqual(yield* forge.rerunFailedJobs(ref, sha), 0)
    }).pipe(Effect.provide(layer(github, asApp(github))))
    assert.deepStrictEqual(
      repository.runs.map(({ attempt }) => attempt),
      [1, 1, 1, 1].map((_, index) => (repository.runs[index] === failed ? 2 : 1))
    )
  })
})

describe("failures of GitHub", () => {
  test("an app that is not installed, or suspended, is not mistaken for a platform that fails", function* () {
    const { github } = yield* started
    github.uninstall("Acme")
    const missing = yield* Effect.provide(failure(publish()), layer(github, asApp(github)))
    assert.strictEqual(missing.reason, "not_installed")
    github.install("Acme").isSuspended = true
    const suspended = yield* Effect.provide(failure(publish()), layer(github, asApp(github)))
    assert.deepStrictEqual(
      [suspended.reason, suspended.status, suspended.message],
      ["not_installed", 403, "403 This installation has been suspended"]
    )
  })

  test("a limit says until when it holds", function* () {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 30) })
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
    const { github } = yield* started
    yield* Effect.gen(function* () {
      yield* publish()
      github.server.faults.next("checks/list-for-ref", { kind: "Secondary", retryAfter: 90 })
      const secondary = yield* failure(publish())
      assert.deepStrictEqual([secondary.reason, secondary.retryAt], ["rate_limited", 90_000])
      github.server.faults.next("checks/list-for-ref", { kind: "Primary", seconds: 1200 })
      const primary = yield* failure(publish())
      // One second later, because the platform rounds.
      assert.deepStrictEqual([primary.reason, primary.retryAt], ["rate_limited", Date.UTC(2026, 0, 30) + 1_201_000])
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("a short limit is waited for when requests are spaced", function* () {
    const { github, repository } = yield* started
    github.server.faults.next("checks/list-for-ref", { kind: "Secondary", retryAfter: 1 })
    const paced = GitHub.layer({ apiUrl: github.url, credentials: asApp(github), isPaced: true })
    yield* Effect.provide(publish(), paced)
    assert.strictEqual(repository.checkRuns.length, 1)
  })

  test("a token that is revoked before its time is replaced", function* () {
    vi.useFakeTimers({ toFake: ["Date"] })
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
    const { github, repository } = yield* started
    yield* Effect.gen(function* () {
      yield* publish()
      github.server.hub.tokens.clear()
      // A token of the last seconds may not have reached all machines of GitHub, and would be tried for a while.
      vi.setSystemTime(Date.now() + 10_000)
      yield* publish({ title: "another" })
    }).pipe(Effect.provide(layer(github, asApp(github))))
    assert.strictEqual(repository.checkRuns.length, 1)
    assert.deepStrictEqual(Object(repository.checkRuns[0]?.members["output"]).title, "another")
  })

  test("a clock of GitHub that is an hour behind does no harm", function* () {
    const { github, repository } = yield* started
    github.server.hub.ahead = -3_600_000
    yield* Effect.provide(publish(), layer(github, asApp(github)))
    assert.strictEqual(repository.checkRuns.length, 1)
  })

  test("a platform that does not answer is unavailable after a minute", function* () {
    const { github } = yield* started
    github.server.faults.next("apps/get-repo-installation", { kind: "Silence", when: "before" })
    yield* Effect.gen(function* () {
      const ended = yield* Effect.forkChild(failure(publish()))
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* Fiber.join(ended)).reason, "unavailable")
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("no error holds a credential", function* () {
    const { github, repository } = yield* started
    const faults: ReadonlyArray<Fault.Fault> = [
      { kind: "Status", status: 500, when: "before" },
      { kind: "Reset", when: "after" },
      { kind: "Secondary", retryAfter: null },
      { kind: "Primary", seconds: 3000 }
    ]
    const { number } = github.openPull(repository, { head: sha })
    for (const credentials of [asApp(github), asWriter]) {
      yield* Effect.gen(function* () {
        for (const fault of faults) {
          github.server.faults.next("issues/create-comment", fault)
          const error = JSON.stringify(yield* failure(createNote(number, "x")))
          const tokens = [
            ...github.server.hub.tokens.keys(),
            "writer",
            "PRIVATE KEY",
            github.app.privateKey.slice(40, 60)
          ]
          for (const secret of tokens) assert.notInclude(error, secret)
        }
      }).pipe(Effect.provide(layer(github, credentials)))
    }
  })
})
