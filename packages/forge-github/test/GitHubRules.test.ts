/** The rules of the adapter that need no server: checks of a commit, reruns, limits, the manifest. */
import { ForgeError, type RerunOutcome } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Budget from "../src/Budget.ts"
import * as GitHubChecks from "../src/GitHubChecks.ts"
import type { GitHubClient } from "../src/GitHubClient.ts"
import * as GitHubManifest from "../src/GitHubManifest.ts"
import * as GitHubReruns from "../src/GitHubReruns.ts"
import * as Pages from "../src/Pages.ts"

const ref = { owner: "acme", repository: "widgets" }

const result = (parts: Partial<GitHubChecks.Result> = {}): GitHubChecks.Result => ({
  name: "unit",
  suite: "1",
  order: 1,
  state: "success",
  endedAt: null,
  url: null,
  ...parts
})

describe("GitHubChecks.combined", () => {
  const combined = (...results: ReadonlyArray<Partial<GitHubChecks.Result>>) =>
    GitHubChecks.combined(results.map(result)).map(({ attempt, name, state }) => `${name} ${state} ${attempt}`)

  it("over suites and statuses the worst state counts: failed, open, ended without a judgement, passed", () => {
    const worst = (...states: ReadonlyArray<GitHubChecks.Result["state"]>) => {
      const of = (all: ReadonlyArray<GitHubChecks.Result["state"]>) =>
        GitHubChecks.combined(all.map((state, index) => result({ state, suite: `${index}` })))[0]?.state
      assert.strictEqual(of(states.toReversed()), of(states))
      return of(states)
    }
    assert.strictEqual(worst("success", "skipped"), "skipped")
    assert.strictEqual(worst("success", "neutral"), "neutral")
    assert.strictEqual(worst("neutral", "pending"), "pending")
    assert.strictEqual(worst("pending", "failure"), "failure")
    assert.strictEqual(worst("pending", "cancelled"), "cancelled")
    assert.strictEqual(worst("success", "pending", "timed_out"), "timed_out")
  })

  it("of states that are equally bad the first counts, with its address", () => {
    const both = [result({ state: "failure", url: "a" }), result({ suite: "2", state: "timed_out", url: "b" })]
    assert.deepStrictEqual(GitHubChecks.combined(both), [{ name: "unit", state: "failure", attempt: 2, url: "a" }])
  })

  it("of each suite the newest run counts, whatever the order, and every run of a suite is an attempt", () => {
    assert.deepStrictEqual(combined({ state: "failure" }, { order: 2 }), ["unit success 2"])
    assert.deepStrictEqual(combined({ order: 2 }, { state: "failure" }), ["unit success 2"])
    assert.deepStrictEqual(combined({ suite: null, state: "failure" }), ["unit failure 1"])
    assert.deepStrictEqual(combined({ suite: null }, {}, { suite: "2" }), ["unit success 2"])
    assert.deepStrictEqual(combined({}, { name: "lint" }), ["unit success 1", "lint success 1"])
  })

  it("while one suite runs again the check is open, although another suite failed", () => {
    const other = { suite: "2", state: "failure" } as const
    assert.deepStrictEqual(combined({ state: "failure" }, { order: 2, state: "pending" }, other), ["unit pending 3"])
    assert.deepStrictEqual(combined({ state: "pending" }, other), ["unit failure 2"])
    assert.deepStrictEqual(combined({ state: "failure" }, { order: 2 }, other), ["unit failure 3"])
  })
})

describe("GitHubChecks.latest", () => {
  it("the newest run of each name and suite is the latest", () => {
    const runs = [
      result({ order: 3 }),
      result({ order: 5 }),
      result({ order: 4 }),
      result({ suite: "2" }),
      result({ suite: null })
    ]
    assert.deepStrictEqual(
      GitHubChecks.latest([...runs, result({ name: "lint" })]).map(({ name, order, suite }) => [name, suite, order]),
      [
        ["unit", "1", 5],
        ["unit", "2", 1],
        ["unit", null, 1],
        ["lint", "1", 1]
      ]
    )
    assert.deepStrictEqual(
      GitHubChecks.latest([result({ order: 9 }), result()]).map(({ order }) => order),
      [9]
    )
  })
})

describe("GitHubChecks.ofHead", () => {
  const run = (conclusion: string | null, startedAt: string | null, suite = "1", name = "unit") =>
    ({
      __typename: "CheckRun",
      name,
      status: conclusion === null ? "IN_PROGRESS" : "COMPLETED",
      conclusion,
      startedAt,
      url: null,
      detailsUrl: "https://ci.example/1",
      checkSuite: { id: suite }
    }) as const
  const status = (state: string, context = "unit") =>
    ({ __typename: "StatusContext", context, state, targetUrl: "not an address" }) as const

  const states = (...contexts: Parameters<typeof GitHubChecks.ofHead>[0]) =>
    GitHubChecks.ofHead(contexts).map(({ attempt, name, state }) => `${name} ${state} ${attempt}`)

  it("what was cancelled before a newer run of the same name began does not count", () => {
    const cancelled = run("CANCELLED", "2027-01-01T00:00:00Z")
    assert.deepStrictEqual(states(cancelled, run("SUCCESS", "2027-01-01T00:00:01Z", "2")), ["unit success 1"])
    assert.deepStrictEqual(states(cancelled, run(null, null, "2")), ["unit pending 1"])
    assert.deepStrictEqual(states(cancelled, run("SUCCESS", "2027-01-01T00:00:00Z", "2")), ["unit cancelled 1"])
    assert.deepStrictEqual(states(cancelled, run("SUCCESS", "2027-01-01T00:00:01Z", "2", "lint")), [
      "unit cancelled 1",
      "lint success 1"
    ])
    const failed = run("FAILURE", "2027-01-01T00:00:00Z")
    assert.deepStrictEqual(states(failed, run("SUCCESS", "2027-01-01T00:00:01Z", "2")), ["unit failure 1"])
  })

  it("a status has its state, a word that is not known is open, and an address that nobody can follow is left out", () => {
    assert.deepStrictEqual(states(status("ERROR"), status("EXPECTED", "lint")), ["unit error 1", "lint pending 1"])
    assert.deepStrictEqual(
      GitHubChecks.ofHead([status("SUCCESS"), run("SUCCESS", null, "1", "lint")]).map(({ url }) => url),
      [null, "https://ci.example/1"]
    )
  })
})

describe("Pages.all", () => {
  const read = (sizes: ReadonlyArray<number>) => {
    const asked: Array<number> = []
    return Effect.map(
      Pages.all((page) => {
        asked.push(page)
        return Effect.succeed(Array.from({ length: sizes[page - 1] ?? Pages.size }, () => page))
      }),
      (items) => [items.length, asked.length]
    )
  }

  it.effect("a page that is not full is the last, and twenty pages are read at most", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([0]), [0, 1])
      assert.deepStrictEqual(yield* read([99]), [99, 1])
      assert.deepStrictEqual(yield* read([100, 0]), [100, 2])
      assert.deepStrictEqual(yield* read([100, 100, 1]), [201, 3])
      assert.deepStrictEqual(yield* read([]), [2000, 20])
    })
  )
})

describe("Budget", () => {
  type Hook = Parameters<typeof Budget.install>[0]

  const learned = (...answers: ReadonlyArray<Readonly<Record<string, string>>>) => {
    const budgets = Budget.make()
    const hooks: Array<(answer: { readonly headers: Readonly<Record<string, string>> }) => void> = []
    // The hook is all that is used.
    Budget.install(
      { hook: { after: (_: string, hook: (typeof hooks)[0]) => hooks.push(hook) } } as unknown as Hook,
      budgets,
      "1"
    )
    for (const headers of answers) for (const hook of hooks) hook({ headers })
    return budgets
  }

  const headers = (used: number, reset = 7200, limit = 5000) => ({
    "x-ratelimit-limit": `${limit}`,
    "x-ratelimit-used": `${used}`,
    "x-ratelimit-reset": `${reset}`
  })

  it("the latest limits of each resource are kept, and answers without limits change nothing", () => {
    const budgets = learned(
      headers(1),
      headers(7),
      { ...headers(3), "x-ratelimit-resource": "graphql" },
      {},
      headers(9, 0),
      headers(9, 7200, 0)
    )
    assert.deepStrictEqual(
      [...(budgets.get("1") ?? [])],
      [
        ["core", { limit: 5000, used: 7, resetAt: 7_200_000 }],
        ["graphql", { limit: 5000, used: 3, resetAt: 7_200_000 }]
      ]
    )
    assert.strictEqual(learned({}, headers(9, 0)).size, 0)
  })

  it("a sweep waits for the limit that has room last, and for none whose hour is over", () => {
    const budgets = learned(headers(5000), { ...headers(0), "x-ratelimit-resource": "graphql" })
    assert.strictEqual(Budget.sweepAt(budgets, "1", 0), 7_200_000)
    assert.strictEqual(Budget.sweepAt(budgets, "1", 7_199_999), 7_200_000)
    assert.strictEqual(Budget.sweepAt(budgets, "1", 7_200_000), 0)
    assert.strictEqual(Budget.sweepAt(budgets, "2", 0), 0)
    assert.strictEqual(Budget.sweepAt(learned(headers(150)), "1", 0), 0)
    assert.isAbove(Budget.sweepAt(learned(headers(151)), "1", 0), 3_600_000)
  })
})

describe("GitHubManifest.manifestOf", () => {
  it("the app of a server is private, delivers at once and has a name of at most 34 characters", () => {
    const manifest: unknown = JSON.parse(GitHubManifest.manifestOf("https://lazaret.a-very-long-name.example.com"))
    assert.deepInclude(manifest, {
      name: "Lazaret lazaret.a-very-long-name.e",
      public: false,
      hook_attributes: { url: "https://lazaret.a-very-long-name.example.com/v1/webhooks/github", active: true }
    })
  })
})

describe("GitHubReruns", () => {
  interface Refusal {
    readonly status: number
    readonly message: string
  }

  interface World {
    readonly runs?: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly checks?: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly refusals?: Readonly<Record<string, Refusal>>
  }

  const at = (second: number) => new Date(Date.UTC(2027, 0, 1, 0, 0, second)).toISOString()

  const run = (id: number, parts: Readonly<Record<string, unknown>> = {}) => ({
    id,
    check_suite_id: id,
    workflow_id: id,
    event: "merge_group",
    run_attempt: 1,
    run_started_at: at(10),
    status: "completed",
    conclusion: "failure",
    ...parts
  })

  const check = (suite: number, parts: Readonly<Record<string, unknown>> = {}) => ({
    id: suite,
    name: "unit",
    check_suite: { id: suite },
    status: "completed",
    conclusion: "failure",
    completed_at: at(20),
    details_url: null,
    html_url: null,
    ...parts
  })

  /** A client that answers with the lists of a world, and notes what is written. */
  const clientOf = ({ checks = [], refusals = {}, runs = [] }: World) => {
    const written: Array<string> = []
    const request = (route: string, parameters: { readonly run_id?: number }) => {
      if (route.startsWith("GET") && route.endsWith("/check-runs")) return { data: { check_runs: checks } }
      if (route.startsWith("GET")) return { data: { workflow_runs: runs } }
      written.push(`${route.split("/").at(-1)} ${parameters.run_id}`)
      return refusals[route.split("/").at(-1) ?? ""] ?? { data: {} }
    }
    const send = (operation: string, to: typeof ref, ask: (kit: unknown, options: object) => unknown) => {
      const answer = ask({ request }, {})
      // The answers of this client are refusals, or have data.
      const refusal = answer as Refusal
      return "message" in refusal
        ? Effect.fail(new ForgeError({ operation, ...to, reason: "refused", retryAt: null, ...refusal }))
        : Effect.succeed(answer)
    }
    // Nothing else of a client is used.
    return { client: { ask: send, write: send } as unknown as GitHubClient, written }
  }

  const ofChecks = (world: World, attempt = 1) => {
    const { client, written } = clientOf(world)
    return Effect.map(
      GitHubReruns.ofChecks(client, ref, { attempt, checks: ["unit"], sha: "s" }),
      (outcome: RerunOutcome) => [outcome, ...written]
    )
  }

  it.effect("the failed jobs behind a check run again in the runs of their suites, and in no others", () =>
    Effect.gen(function* () {
      const runs = [run(1), run(2)]
      assert.deepStrictEqual(yield* ofChecks({ runs, checks: [check(1), check(2, { name: "lint" })] }), [
        "started",
        "rerun-failed-jobs 1"
      ])
      assert.deepStrictEqual(yield* ofChecks({ runs, checks: [check(1), check(2)] }, 2), [
        "started",
        "rerun-failed-jobs 1",
        "rerun-failed-jobs 2"
      ])
      assert.deepStrictEqual(yield* ofChecks({ runs, checks: [check(3)] }), ["none"])
      assert.deepStrictEqual(yield* ofChecks({ runs, checks: [] }), ["none"])
      assert.deepStrictEqual(yield* ofChecks({ runs, checks: [check(1, { conclusion: "success" })] }), ["none"])
      assert.deepStrictEqual(yield* ofChecks({ runs: [run(1, { conclusion: "success" })], checks: [check(1)] }), [
        "none"
      ])
    })
  )

  it.effect("a run that still works is awaited, unless its attempt began after the check had ended", () =>
    Effect.gen(function* () {
      const working = { status: "in_progress", conclusion: null }
      const of = (parts: Readonly<Record<string, unknown>>, completed: string | null = at(20)) =>
        ofChecks({ runs: [run(1, { ...working, ...parts })], checks: [check(1, { completed_at: completed })] })
      assert.deepStrictEqual(yield* of({}), ["running"])
      assert.deepStrictEqual(yield* of({ run_attempt: 2, run_started_at: at(21) }), ["started"])
      assert.deepStrictEqual(yield* of({ run_attempt: 2, run_started_at: at(20) }), ["running"])
      assert.deepStrictEqual(yield* of({ run_attempt: 1, run_started_at: at(21) }), ["running"])
      assert.deepStrictEqual(yield* of({ run_attempt: 2, run_started_at: at(21) }, null), ["running"])
      const both = { runs: [run(1), run(2, working)], checks: [check(1), check(2)] }
      assert.deepStrictEqual(yield* ofChecks(both, 2), ["running", "rerun-failed-jobs 1"])
    })
  )

  it.effect("a check with a later attempt than the known one has been run again", () =>
    Effect.gen(function* () {
      const again = [check(1), check(1, { id: 5 })]
      assert.deepStrictEqual(yield* ofChecks({ runs: [run(1)], checks: again }, 1), ["started"])
      assert.deepStrictEqual(yield* ofChecks({ runs: [run(1)], checks: again }, 2), ["started", "rerun-failed-jobs 1"])
    })
  )

  it.effect("a run that GitHub does not call failed runs again as a whole, and one that runs already is awaited", () =>
    Effect.gen(function* () {
      const of = (conclusion: string, refusal: Refusal) =>
        ofChecks({
          runs: [run(1, { conclusion })],
          checks: [check(1)],
          refusals: { "rerun-failed-jobs": refusal }
        }).pipe(Effect.orElseSucceed(() => ["refused"]))
      const forbidden = { status: 403, message: "This workflow run cannot be retried" }
      assert.deepStrictEqual(yield* of("cancelled", forbidden), ["started", "rerun-failed-jobs 1", "rerun 1"])
      assert.deepStrictEqual(yield* of("failure", forbidden), ["refused"])
      assert.deepStrictEqual(yield* of("cancelled", { ...forbidden, status: 404 }), ["refused"])
      const running = { status: 403, message: "The workflow run is already running" }
      assert.deepStrictEqual(yield* of("cancelled", running), ["running", "rerun-failed-jobs 1"])
      assert.deepStrictEqual(yield* of("failure", running), ["running", "rerun-failed-jobs 1"])
    })
  )

  it.effect("of each workflow and event the newest run of a commit runs again, where it ended badly", () =>
    Effect.gen(function* () {
      const { client, written } = clientOf({
        runs: [
          run(9, { workflow_id: 1 }),
          run(8, { workflow_id: 1 }),
          run(7, { workflow_id: 1, event: "push", conclusion: "timed_out" }),
          run(6, { workflow_id: 2, conclusion: "success" }),
          run(5, { workflow_id: 3, status: "in_progress", conclusion: null })
        ]
      })
      assert.strictEqual(yield* GitHubReruns.ofCommit(client, ref, "s"), 2)
      assert.deepStrictEqual(written, ["rerun-failed-jobs 9", "rerun-failed-jobs 7"])
      assert.isTrue(yield* GitHubReruns.isInProgress(client, ref, "s"))
    })
  )
})
