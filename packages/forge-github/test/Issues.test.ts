import { assert, describe, it } from "@effect/vitest"
import { type Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { Instant, Redaction, Report, Repository, TestId } from "@lazaret/domain"
import { CommitTimes, HostingPlatform, IssueRounds, IssueTracker, Owners } from "@lazaret/services"
import { causeRecord } from "@lazaret/domain/testing"
import {
  CauseStore,
  EventStore,
  ExecutionStore,
  IssueStore,
  MemoryStores,
  QuarantineStore,
  RepositoryStore
} from "@lazaret/store"
import { Context, Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { GitHub } from "../src/index.ts"
import { asWriter, ref, started } from "./connection.ts"

const noon = Date.UTC(2026, 4, 20, 12)

type Results = Readonly<Record<string, "passed" | "failed">>

const messageOf = (name: string) =>
  `${name}: @everyone see #1, fixes #2 ghp_0123456789abcdefghij \`\`\`\n\`\`\`\n/close`

/**
 * A server with memory stores, connected to a simulated GitHub; `second` is another server over the same stores.
 *
 * It has a token: those of an app would end when the clock is put forward.
 */
const world = Effect.fnUntraced(function* (settings: Partial<Repository.RepositorySettings> = {}) {
  const { github, repository } = yield* started
  repository.files.set(".github/CODEOWNERS", "* @ada @acme/cart @nobody ben@example.com")
  repository.people?.set("ada", "write")
  yield* TestClock.setTime(noon)
  const stores = yield* Layer.build(MemoryStores.layer)
  const server = Effect.gen(function* () {
    const platform = yield* GitHub.make({ apiUrl: github.url, credentials: asWriter, isPaced: false })
    const parts = Layer.succeedContext(
      Context.make(IssueTracker, Context.get(platform, IssueTracker)).pipe(
        Context.add(CommitTimes, Context.get(platform, CommitTimes)),
        Context.add(HostingPlatform, Context.get(platform, HostingPlatform))
      )
    )
    const options = { publicUrl: "https://lazaret.test", redact: Redaction.redact }
    const built = yield* Layer.build(
      Layer.fresh(IssueRounds.layer(options).pipe(Layer.provide(Layer.fresh(Owners.layer)))).pipe(
        Layer.provide(parts),
        Layer.provide(Layer.succeedContext(stores))
      )
    )
    return Context.get(built, IssueRounds)
  })
  const [first, second] = [yield* server, yield* server]
  const { hub } = github.server
  const executions = Context.get(stores, ExecutionStore)
  const wanted = { ...Repository.defaultSettings, issues: "flaky_and_broken" as const, ...settings }
  yield* Context.get(stores, RepositoryStore).set(ref, wanted, noon)
  let runs = 0

  /** The clock of the server and that of GitHub. */
  const wait = (time: number) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(time)
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      hub.ahead = now - Date.now()
    })

  /** A run of the default branch on a commit, which was made now unless it is known. */
  const run = Effect.fnUntraced(function* (commit: string, results: Results) {
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    runs += 1
    const sha = shaOf(commit)
    if (repository.commitTimes?.has(sha) !== true) repository.commitTimes?.set(sha, now)
    yield* executions.append(ref, reportOf({ key: `${runs}`, now, sha, results }))
    yield* first.request(ref)
    yield* wait(10 * Instant.minute)
    yield* first.round
  })

  yield* wait(0)
  return {
    github,
    repository,
    hub,
    stores,
    first,
    second,
    wait,
    run,
    issues: (): ReadonlyArray<string> =>
      repository.issues.map(({ reason, state }) => (reason === null ? state : `${state} ${reason}`)),
    progress: Context.get(stores, IssueStore).progress(ref),
    log: Effect.map(Context.get(stores, EventStore).after(ref, 0, 1000), (all) =>
      all.flatMap(({ actor, type }) => (type.startsWith("issue.") ? [`${type} ${actor}`] : []))
    )
  }
})

const shaOf = (commit: string): string => commit.padEnd(40, "0")

const reportOf = ({ key, now, results, sha }: { key: string; now: number; sha: string; results: Results }) =>
  Report.make({
    key,
    digest: key,
    receivedAt: now,
    finishedAt: now,
    run: {
      pipelineName: "CI",
      jobName: "unit",
      branch: "main",
      baseBranch: null,
      commit: sha,
      runId: key,
      runAttempt: 1,
      jobUrl: null,
      framework: null,
      frameworkVersion: null,
      language: null,
      pullRequest: null,
      pullNumber: null
    },
    cases: Object.entries(results).map(([testName, conclusion]) => ({
      testName,
      at: now,
      conclusion,
      durationMs: 1,
      flaky: false,
      reruns: 0,
      filepath: "src/cart.test.ts",
      functionName: null,
      quarantined: false,
      exception: conclusion === "failed" ? { type: "Error", message: messageOf(testName), stacktrace: null } : null
    }))
  })

type World = Effect.Success<ReturnType<typeof world>>

/** Breaks a test and waits until it has an issue. */
const broken = Effect.fnUntraced(function* ({ run, wait }: World, ...names: ReadonlyArray<string>) {
  const all = (conclusion: "passed" | "failed") => Object.fromEntries(names.map((name) => [name, conclusion]))
  yield* run("a1", all("passed"))
  yield* run("a2", all("failed"))
  yield* wait(Instant.day)
  yield* run("a3", all("failed"))
})

const onlyIssue = ({ repository: { issues } }: World): Hub.Issue => {
  const [issue, ...others] = issues
  assert.deepStrictEqual(others, [])
  return issue ?? assert.fail("there is no issue")
}

const scenario = <A, E>(body: Effect.Effect<A, E, never>) => Effect.provide(body, Logger.layer([]))

describe("issues of tests at GitHub", () => {
  it.effect("a test gets an issue when it is broken for a day, which is closed a day after its recovery", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          const { issues, log, run, wait } = all
          yield* run("a1", { cart: "passed" })
          yield* run("a2", { cart: "failed" })
          assert.deepStrictEqual(issues(), [])
          yield* wait(Instant.day)
          yield* run("a3", { cart: "failed" })
          assert.deepStrictEqual(issues(), ["open"])
          const issue = onlyIssue(all)
          assert.deepInclude(issue, { title: "Unhealthy test: cart", labels: ["lazaret"], assignees: ["ada"] })
          assert.include(issue.body, `https://lazaret.test/acme/widgets/tests/${TestId.of("cart")}`)
          assert.include(issue.body, "@acme/cart, `@nobody`, `ben@example.com`")
          assert.include(issue.body, "is **broken** on the default branch since 2026-05-20")
          yield* run("a4", { cart: "passed" })
          yield* run("a5", { cart: "passed" })
          yield* run("a6", { cart: "passed" })
          assert.deepStrictEqual(issues(), ["open"])
          assert.include(issue.body, "is **healthy** again")
          yield* wait(Instant.day)
          yield* run("a7", { cart: "passed" })
          assert.deepStrictEqual(issues(), ["closed completed"])
          yield* run("a8", { cart: "failed" })
          yield* run("a8", { cart: "passed" })
          yield* wait(Instant.day)
          yield* run("a9", { cart: "passed" })
          assert.deepStrictEqual(issues(), ["open reopened"])
          yield* run("b1", { cart: "passed" })
          assert.deepStrictEqual(issues(), ["open reopened"])
          assert.include(issue.body, "is **flaky**")
          assert.deepStrictEqual(yield* log, ["issue.opened auto", "issue.closed auto", "issue.reopened auto"])
        })
      )
    )
  )

  it.effect(
    "an issue that a person closed is reopened by a failure on a newer commit, and by none on an older one",
    () =>
      scenario(
        Effect.scoped(
          Effect.gen(function* () {
            const all = yield* world()
            const { hub, issues, log, run, wait } = all
            yield* broken(all, "cart")
            yield* wait(Instant.hour)
            SimulatedGitHub.closeIssue(hub, onlyIssue(all), "ada")
            yield* wait(Instant.minute)
            yield* run("a3", { cart: "failed" })
            yield* run("unknown to GitHub", { cart: "passed" })
            assert.deepStrictEqual(issues(), ["closed completed"])
            yield* run("a4", { cart: "failed" })
            assert.deepStrictEqual(issues(), ["open reopened"])
            assert.deepStrictEqual(yield* log, [
              "issue.opened auto",
              "issue.closed GitHub user ada",
              "issue.reopened auto"
            ])
          })
        )
      )
  )

  it.effect("a deleted issue is written again only after a failure on a newer commit", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          const { issues, repository, run, wait } = all
          yield* broken(all, "cart")
          SimulatedGitHub.deleteIssue(repository, onlyIssue(all))
          yield* wait(Instant.hour)
          yield* run("a3", { cart: "failed" })
          assert.deepStrictEqual(issues(), [])
          yield* wait(Instant.minute)
          yield* run("a4", { cart: "failed" })
          assert.deepStrictEqual(issues(), ["open"])
          assert.strictEqual(onlyIssue(all).number, 2)
        })
      )
    )
  )

  it.effect(
    "a request without an answer leads to no second issue, and a platform that fails is shown and asked again",
    () =>
      scenario(
        Effect.scoped(
          Effect.gen(function* () {
            const all = yield* world()
            const { first, github, issues, log, progress, wait } = all
            github.server.faults.next("issues/create", { kind: "Status", status: 502, when: "after" })
            yield* broken(all, "cart")
            assert.deepStrictEqual(issues(), ["open"])
            assert.match(Option.getOrThrow(yield* progress).failure ?? "", /^createIssue: 502/u)
            github.server.faults.next("issues/list-for-repo", { kind: "Status", status: 503, when: "before" }, 4)
            yield* wait(Instant.hour)
            yield* first.round
            assert.match(Option.getOrThrow(yield* progress).failure ?? "", /^issues: 503/u)
            yield* wait(Instant.hour)
            yield* first.round
            assert.deepStrictEqual(issues(), ["open"])
            assert.isNull(Option.getOrThrow(yield* progress).failure)
            assert.deepStrictEqual(yield* log, ["issue.opened auto"])
            github.server.faults.next("issues/update", { kind: "Reset", when: "after" })
            yield* wait(31 * Instant.day)
            yield* first.round
            assert.deepStrictEqual(issues(), ["closed not_planned"])
            yield* wait(Instant.hour)
            yield* first.round
            assert.deepStrictEqual(yield* log, ["issue.opened auto", "issue.closed auto"])
          })
        )
      )
  )

  it.effect("an issue that the platform refuses keeps no other from being opened, and is tried again", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          all.github.server.faults.next("issues/create", { kind: "Status", status: 422, when: "before" })
          yield* broken(all, "cart", "mail")
          const titles = () => all.repository.issues.map(({ title }) => title)
          assert.deepStrictEqual(titles(), ["Unhealthy test: mail"])
          assert.match(Option.getOrThrow(yield* all.progress).failure ?? "", /^createIssue: 422/u)
          yield* all.wait(Instant.hour)
          yield* all.first.round
          assert.deepStrictEqual(titles(), ["Unhealthy test: mail", "Unhealthy test: cart"])
          assert.isNull(Option.getOrThrow(yield* all.progress).failure)
        })
      )
    )
  )

  it.effect("two servers write one issue, and a second one of the same test is closed", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          const { first, hub, issues, repository, run, second, wait } = all
          yield* run("a1", { cart: "passed" })
          yield* run("a2", { cart: "failed" })
          yield* wait(Instant.day)
          yield* first.request(ref)
          yield* run("a3", { cart: "passed" })
          yield* run("a4", { cart: "failed" })
          yield* wait(2 * Instant.day)
          yield* Effect.all([first.round, second.round], { concurrency: 2 })
          assert.deepStrictEqual(issues(), ["open"])
          const issue = onlyIssue(all)
          repository.issues.push({ ...issue, id: 99, number: 99 })
          yield* wait(Instant.hour)
          yield* second.round
          assert.deepStrictEqual(issues(), ["open", "closed not_planned"])
          assert.include(repository.issues[1]?.body, "#1")
          assert.isAbove(hub.repositories.length, 0)
        })
      )
    )
  )

  it.effect("the limit of a day holds, the worst tests come first, and the others follow the next day", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world({ issuePolicy: { mostPerDay: 2, groupSize: 5 } })
          const { first, issues, repository, wait } = all
          yield* broken(all, "a", "b")
          yield* all.run("b1", { c: "passed", a: "failed", b: "failed" })
          yield* all.run("b2", { c: "failed", a: "failed", b: "failed" })
          yield* wait(Instant.day - Instant.hour)
          yield* all.run("b3", { c: "failed", a: "failed", b: "failed" })
          assert.deepStrictEqual(issues(), ["open", "open"])
          yield* wait(2 * Instant.hour)
          yield* first.round
          assert.deepStrictEqual(
            repository.issues.map(({ title }) => title),
            ["Unhealthy test: a", "Unhealthy test: b", "Unhealthy test: c"]
          )
        })
      )
    )
  )

  it.effect("twelve tests with one cause are one issue of the owner of the cause, which its closing closes", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world({ issuePolicy: { groupSize: 1000 } })
          const names = Array.from({ length: 12 }, (_, index) => `test ${String(index).padStart(2, "0")}`)
          const causes = Context.get(all.stores, CauseStore)
          const record = causeRecord(names, noon, { owner: "@ada" })
          yield* causes.request(ref, noon)
          const [leased] = yield* causes.lease({ now: noon, until: noon + 1, lease: "1", limit: 1 })
          if (leased === undefined) return yield* Effect.die("no lease")
          const found = { redRuns: 5, missingRuns: 0, records: [record] }
          yield* causes.replace(leased, { computedAt: noon, againAt: noon }, () => found)
          const results = (conclusion: "passed" | "failed"): Results =>
            Object.fromEntries(names.map((name) => [name, conclusion] as const))
          yield* all.run("a1", results("passed"))
          for (const commit of ["a2", "a3", "a4", "a5"]) {
            yield* all.run(commit, results("failed"))
            yield* all.wait(Instant.day)
          }
          yield* all.run("a6", results("failed"))
          const { assignees, body } = onlyIssue(all)
          assert.include(body, "11 other tests have the same cause (`boom, 12 tests`), and have no issue of their own:")
          assert.deepStrictEqual(assignees, ["ada"])
          const { causeId } = record
          yield* causes.decide(ref, { causeId, change: { closedAt: noon }, at: noon, by: "ada" })
          yield* all.first.requestChange(ref)
          yield* all.wait(Instant.hour)
          yield* all.first.round
          assert.deepStrictEqual(all.issues(), ["closed completed"])
          yield* causes.decide(ref, { causeId, change: { closedAt: null, silencedUntil: null }, at: noon, by: "ada" })
          yield* all.run("a7", results("failed"))
          assert.deepStrictEqual(all.issues(), ["open reopened"])
        })
      )
    )
  )

  it.effect("many tests that break with one commit are one issue that names them", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          const names = Array.from({ length: 30 }, (_, index) => `test ${String(index).padStart(2, "0")}`)
          const results = (conclusion: "passed" | "failed") =>
            Object.fromEntries(names.map((name) => [name, conclusion]))
          yield* all.run("a1", results("passed"))
          for (const commit of ["a2", "a3", "a4", "a5"]) {
            yield* all.run(commit, results("failed"))
            yield* all.wait(Instant.day)
          }
          yield* all.run("a6", results("failed"))
          const { body } = onlyIssue(all)
          assert.include(body, "29 other tests began to fail with the same commit")
          assert.include(body, "- `test 20`\n- and 9 more")
        })
      )
    )
  )

  for (const [state, isClosedBefore] of [
    ["an open issue", false],
    ["an issue that a person has closed", true]
  ] as const) {
    it.effect(`a test that was deleted with ${state} leaves a closed issue without its name`, () =>
      scenario(
        Effect.scoped(
          Effect.gen(function* () {
            const all = yield* world()
            yield* broken(all, "cart")
            const { change, removeTest } = Context.get(all.stores, RepositoryStore)
            yield* removeTest(ref, TestId.of("cart"))
            if (isClosedBefore) SimulatedGitHub.closeIssue(all.hub, onlyIssue(all), "ada")
            else yield* change(ref, (settings) => ({ ...settings, issues: "off" }), noon)
            yield* all.first.requestChange(ref)
            yield* all.wait(Instant.hour)
            yield* all.first.round
            const { body, state: found, title } = onlyIssue(all)
            assert.strictEqual(found, "closed")
            assert.notInclude(`${title} ${body}`, "cart")
            assert.deepStrictEqual(yield* Context.get(all.stores, IssueStore).list(ref), [])
            assert.deepStrictEqual(yield* all.log, [])
          })
        )
      )
    )
  }

  it.effect(
    "a test that was deleted gets a new issue after it came back, also when a person had closed the old one",
    () =>
      scenario(
        Effect.scoped(
          Effect.gen(function* () {
            const all = yield* world()
            const { first, hub, issues, log, repository, stores, wait } = all
            yield* broken(all, "cart")
            yield* Context.get(stores, RepositoryStore).removeTest(ref, TestId.of("cart"))
            SimulatedGitHub.closeIssue(hub, onlyIssue(all), "ada")
            yield* wait(Instant.hour)
            yield* first.round
            const { body, title } = onlyIssue(all)
            assert.notInclude(`${title} ${body}`, "cart")
            assert.deepStrictEqual(yield* Context.get(stores, IssueStore).list(ref), [])
            assert.deepStrictEqual(yield* log, [])
            yield* all.run("b1", { cart: "passed" })
            yield* all.run("b2", { cart: "failed" })
            yield* wait(Instant.day)
            yield* all.run("b3", { cart: "failed" })
            assert.deepStrictEqual(issues(), ["closed completed", "open"])
            assert.strictEqual(repository.issues[1]?.title, "Unhealthy test: cart")
          })
        )
      )
  )

  it.effect("a title that a person has changed stays when the issue is closed and reopened", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world({ issuePolicy: { closeHours: 0, openHours: 0 } })
          const { issues, run } = all
          yield* broken(all, "cart")
          onlyIssue(all).title = "ada: the cart loses items"
          for (const commit of ["a4", "a5", "a6"]) yield* run(commit, { cart: "passed" })
          assert.deepStrictEqual(issues(), ["closed completed"])
          assert.strictEqual(onlyIssue(all).title, "ada: the cart loses items")
          for (const commit of ["a7", "a8"]) yield* run(commit, { cart: "failed" })
          assert.deepStrictEqual(issues(), ["open reopened"])
          assert.strictEqual(onlyIssue(all).title, "ada: the cart loses items")
        })
      )
    )
  )

  it.effect(
    "an issue changes when its test is quarantined, not with each run, and no text of a report is Markdown",
    () =>
      scenario(
        Effect.scoped(
          Effect.gen(function* () {
            const all = yield* world()
            const { github, run } = all
            yield* broken(all, "a` @everyone #3")
            const { body, title } = onlyIssue(all)
            assert.strictEqual(title, "Unhealthy test: a` @\u200beveryone #\u200b3")
            assert.notInclude(body, "ghp_")
            assert.notMatch(body, /^\/close/mu)
            assert.notMatch(
              body.replaceAll(/(`{3,})text\n[^]*?\n\1(?=\n|$)/gu, "").replaceAll(/(`+)[^`][^]*?\1/gu, ""),
              /@everyone|#\d/u
            )
            const updates = () => github.server.seen.filter(({ operation }) => operation === "issues/update").length
            yield* run("a4", { "a` @everyone #3": "failed" })
            assert.strictEqual(updates(), 0)
            const quarantine = {
              id: crypto.randomUUID(),
              testName: "a` @everyone #3",
              branch: null,
              reason: "known @everyone",
              createdAt: noon,
              createdBy: "ana",
              source: "manual" as const,
              removedAt: null,
              removedBy: null,
              expiresAt: null,
              remindAt: null,
              owner: null,
              ticket: null,
              scope: "every_run" as const
            }
            yield* Context.get(all.stores, QuarantineStore).insert(ref, quarantine)
            yield* run("a5", { "a` @everyone #3": "failed" })
            assert.strictEqual(updates(), 1)
            assert.include(onlyIssue(all).body, "In quarantine: known @\u200beveryone")
          })
        )
      )
  )

  it.effect("a repository without issues keeps the reason, and nothing else fails", () =>
    scenario(
      Effect.scoped(
        Effect.gen(function* () {
          const all = yield* world()
          all.repository.isWithoutIssues = true
          yield* broken(all, "cart")
          assert.match(Option.getOrThrow(yield* all.progress).failure ?? "", /Issues are disabled/u)
          all.repository.isWithoutIssues = false
          yield* all.wait(Instant.hour)
          yield* all.first.round
          assert.deepStrictEqual(all.issues(), ["open"])
        })
      )
    )
  )
})
