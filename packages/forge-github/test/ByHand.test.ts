import { assert, describe, it } from "@effect/vitest"
import { Conformance, QueueConformance } from "@lazaret/forge-conformance"
import { SimulatedGitHub } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import * as Report from "./byhand/Report.ts"
import * as Suite from "./byhand/Suite.ts"

const start = Effect.fnUntraced(function* (name: string) {
  const github = yield* SimulatedGitHub.start
  const repository = github.addRepository({ owner: "acme", name, tokens: { writer: "write" } })
  const target = { apiUrl: github.url, token: "writer", ref: { owner: "acme", repository: name } }
  return { github, repository, target }
})

/** The requests that wrote. */
const writes = ({ server }: SimulatedGitHub.SimulatedGitHub) =>
  server.seen.filter(({ operation }) => !/\/(?:get|list)/u.test(operation))

describe("the suite that runs by hand with a token", () => {
  it.live("every case that needs no more than a token holds, and the others are left out with what they need", () =>
    Effect.gen(function* () {
      const { repository, target } = yield* start("widgets-scratch")
      const outcomes = yield* Suite.run(target)
      assert.deepStrictEqual(
        outcomes.filter(({ outcome }) => outcome === "broken"),
        []
      )
      const all = [...Conformance.cases, ...QueueConformance.cases]
      assert.deepStrictEqual(
        outcomes.map(({ name, outcome }) => `${name}: ${outcome}`),
        all.map(({ name, needs }) => `${name}: ${needs.length === 0 ? "holds" : "left out"}`)
      )
      assert.isTrue(repository.pulls.every(({ state }) => state === "closed"))
      assert.deepStrictEqual([...(repository.branches?.keys() ?? [])], ["main"])
    })
  )

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

  it.live("a broken case is named with what differs, and what it made is removed", () =>
    Effect.gen(function* () {
      const { repository, target } = yield* start("widgets-scratch")
      // A platform that accepts statuses and never shows them.
      Object.assign(repository.statuses, { push: () => 0 })
      const broken = (yield* Suite.run(target, 0)).filter(({ outcome }) => outcome === "broken")
      assert.deepStrictEqual(
        broken.map(({ name }) => name),
        [
          "the same report again sends nothing that writes",
          "the last report with its name on a commit is the one that people see",
          "a long title, a long address and many annotations are accepted",
          "the check of the queue is shown as it was set last, and is not one of the checks",
          "the newest status of a name counts, and the same name in another commit does not",
          "long names, and names in any script, are kept as they are",
          "the check of the queue on one commit says nothing about another",
          "a long title of the check of the queue, in any script, is accepted"
        ]
      )
      for (const { detail } of broken) assert.include(detail, "Expected")
      assert.deepStrictEqual([...(repository.branches?.keys() ?? [])], ["main"])
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
