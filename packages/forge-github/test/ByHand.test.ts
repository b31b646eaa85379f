import { assert, describe, it } from "@effect/vitest"
import { Conformance, IssueConformance, type Need, QueueConformance } from "@lazaret/forge-conformance"
import { BranchRules, History, Hub, MergeQueue, SimulatedGitHub } from "@lazaret/forge-simulated"
import { CertificationCase } from "@lazaret/services"
import { Effect, Redacted, Result } from "effect"
import * as Report from "./byhand/Report.ts"
import * as Suite from "./byhand/Suite.ts"
import * as Target from "./byhand/Target.ts"

const token = (text: string) => ({ _tag: "Token", token: Redacted.make(text) }) as const

/** The rule that requires the check of the queue, from any account. */
const required = {
  type: "required_status_checks",
  parameters: {
    required_status_checks: [{ context: "lazaret/queue" }],
    strict_required_status_checks_policy: false
  }
}

/** GitHub with a repository that has a commit, and its merge queue, which acts by itself as that of GitHub does. */
const start = Effect.fnUntraced(function* (name: string, hasQueue = false) {
  const github = yield* SimulatedGitHub.start
  const repository = github.addRepository({ owner: "acme", name, tokens: { writer: "write" } })
  const history = History.memory()
  const tree = history.tree(null, { readme: "hello" })
  history.move("main", { from: null, to: history.write({ tree, parents: [], message: "first", author: null }) })
  repository.history = history
  github.install("acme")
  github.grant({ contents: "write" })
  if (hasQueue) {
    repository.queue = []
    repository.branchRules?.push(BranchRules.mergeQueue, required)
    const turn = Effect.sync(() => MergeQueue.turn(github.server.hub, repository, Hub.now(github.server.hub)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(turn, Effect.sleep("5 millis"))))
  }
  const { id: appId, privateKey } = github.app
  const app = { _tag: "App", appId, privateKey: Redacted.make(privateKey) } as const
  const person = token("writer")
  const target = { apiUrl: github.url, ref: { owner: "acme", repository: name }, adapter: person, people: person }
  return { github, repository, history, target, app, person }
})

/** The requests that wrote. */
const writes = ({ server }: SimulatedGitHub.SimulatedGitHub) =>
  server.seen.filter(({ operation, status }) => status < 300 && !/\/(?:get|list|create-installation)/u.test(operation))

const all = [...Conformance.cases, ...QueueConformance.cases]

/** The names of the cases that need no more than these abilities. */
const within = (...able: ReadonlyArray<Need>) =>
  all.filter(({ needs }) => needs.every((need) => able.includes(need))).map(({ name }) => name)

const keyOf = (file: string) => ({
  LAZARET_CONFORMANCE_APP_ID: "1",
  LAZARET_CONFORMANCE_APP_PRIVATE_KEY_FILE: file
})

describe("the suite that runs by hand", () => {
  for (const [title, hasQueue, given, able] of [
    ["a token", false, "token", []],
    ["an app and a merge queue", true, "app", ["queue", "app", "checks"]],
    ["an app, a token of a person and a merge queue", true, "both", ["queue", "app", "checks", "others"]]
  ] as const) {
    it.live(`with ${title} every case that can be tried there holds, and nothing is left behind`, () =>
      Effect.gen(function* () {
        const { app, history, person, repository, target } = yield* start("widgets-scratch", hasQueue)
        const [adapter, people] = [given === "token" ? person : app, given === "app" ? app : person]
        const outcomes = yield* Suite.run({ ...target, adapter, people }, 0)
        const of = (wanted: Suite.Outcome["outcome"]) =>
          outcomes.filter(({ outcome }) => outcome === wanted).map(({ name }) => name)
        assert.deepStrictEqual(
          outcomes.filter(({ outcome }) => outcome === "broken"),
          []
        )
        assert.deepStrictEqual(of("holds"), [...within(...able), ...CertificationCase.cases.map(({ name }) => name)])
        const without = all.map(({ name }) => name).filter((name) => !of("holds").includes(name))
        assert.deepStrictEqual(of("left out"), [...without, ...IssueConformance.cases.map(({ name }) => name)])
        assert.isTrue(outcomes.every(({ detail, outcome }) => (detail === "") === (outcome === "holds")))
        assert.isTrue(repository.pulls.every(({ state }) => state === "closed"))
        assert.deepStrictEqual([...history.branches().keys()], ["main"])
      })
    )
  }

  it.live("a repository that may hold work is refused before anything is written", () =>
    Effect.gen(function* () {
      const other = yield* start("widgets")
      const named = yield* Effect.flip(Suite.run(other.target))
      assert.include(named.message, "the word scratch")
      const busy = yield* start("scratch")
      busy.github.openPull(busy.repository, { head: "a".repeat(40) })
      const used = yield* Effect.flip(Suite.run(busy.target))
      assert.include(used.message, "open pull requests")
      assert.deepStrictEqual([...writes(other.github), ...writes(busy.github)], [])
    })
  )

  it.live("an app that is not installed, or that has another key, is refused before anything is written", () =>
    Effect.gen(function* () {
      const { app, github, target } = yield* start("widgets-scratch")
      const stranger = { ...app, appId: 4_000_000 }
      const wrong = yield* Effect.flip(Suite.run({ ...target, adapter: stranger, people: stranger }))
      assert.include(wrong.message, "401")
      github.uninstall("acme")
      const absent = yield* Effect.flip(Suite.run({ ...target, adapter: app, people: app }))
      assert.include(absent.message, "the app is not installed for this repository")
      assert.deepStrictEqual(writes(github), [])
    })
  )

  for (const [title, name, settings, message] of [
    ["no repository", "", {}, "OWNER/REPOSITORY"],
    ["no credentials", "acme/scratch", {}, "LAZARET_CONFORMANCE_TOKEN"],
    ["an app by its name", "acme/scratch", { LAZARET_CONFORMANCE_APP_ID: "lazaret" }, "is not the number of an app"],
    ["a file that is not there", "acme/scratch", { ...keyOf("/nowhere.pem") }, "/nowhere.pem: it cannot be read"],
    ["a file that is not a key", "acme/scratch", { ...keyOf(import.meta.filename) }, "it has no line such as"]
  ] as const) {
    it(`${title} is a refusal that says what to set`, () => {
      const found = Target.of(name, settings)
      assert.include(Result.isFailure(found) ? found.failure.message : "a target", message)
    })
  }

  it.live("a broken case is named with what differs, and what it made is removed", () =>
    Effect.gen(function* () {
      const { history, repository, target } = yield* start("widgets-scratch")
      // A platform that accepts statuses and never shows them.
      Object.assign(repository.statuses, { push: () => 0 })
      const broken = (yield* Suite.run(target, 0)).filter(({ outcome }) => outcome === "broken")
      assert.deepStrictEqual(
        broken.map(({ name }) => name),
        [
          "the same report again sends nothing that writes",
          "the last report with its name on a commit is the one that people see",
          "a long title, a long address and many annotations are accepted",
          "requests that are doubled, late or in another order leave one note, about the head",
          "the check of the queue is shown as it was set last, and is not one of the checks",
          "the newest status of a name counts, and the same name in another commit does not",
          "long names, and names in any script, are kept as they are",
          "more statuses than a page of the platform are all read",
          "the check of the queue on one commit says nothing about another",
          "a long title of the check of the queue, in any script, is accepted"
        ]
      )
      for (const { detail } of broken) assert.include(detail, "Expected")
      assert.deepStrictEqual([...history.branches().keys()], ["main"])
    })
  )

  it("the report names broken cases first, and what no case verifies", () => {
    const outcomes = [
      { name: "a holds", outcome: "holds", detail: "" },
      { name: "b differs", outcome: "broken", detail: "expected 1\n  got 2" },
      { name: "c waits", outcome: "left out", detail: "needs an app" }
    ] as const
    const run = {
      apiUrl: "https://api.github.com",
      repository: "acme/scratch",
      by: "an app",
      at: "2026-01-31T12:00:00Z",
      commit: "c0ffee",
      outcomes
    }
    const text = Report.markdown(run)
    assert.include(text, "Lazaret at c0ffee: 1 hold, 1 broken, 1 left out.")
    assert.include(text, "- b differs (expected 1 got 2)")
    const places = ["## Broken", "## Left out", "## Hold", "## Not verified by this run"].map((title) =>
      text.indexOf(title)
    )
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    assert.isAbove(places[0] ?? -1, 0)
    const parsed = JSON.parse(Report.json(run))
    assert.deepStrictEqual([parsed.outcomes.length, parsed.unverified.length > 0], [3, true])
  })
})
