import { Instant, TestId } from "@lazaret/domain"
import { CauseRounds } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const both = ["net > a", "net > b"]

/** A job run on each of some commits, two hours apart, in which both tests fail or pass. */
const history = async (server: Server, outcomes: ReadonlyArray<"passed" | "failed">) => {
  const start = now - outcomes.length * 2 * Instant.hour
  for (const [index, outcome] of outcomes.entries()) {
    const tests = { ...Object.fromEntries(both.map((name) => [name, outcome])), "ui > x": "passed" as const }
    await upload(server, { commit: `c${index}`, at: start + index * 2 * Instant.hour, xml: junit(tests) })
  }
}

const repeated = (count: number, outcome: "passed" | "failed") => Array.from({ length: count }, () => outcome)

const settings = `${repository}/settings`

const withPage = (server: Server) =>
  server.send(settings, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ repository_url: "https://gitlab.example/acme/widgets" })
  })

const changeOf = (server: Server, name: string) => server.json(`${repository}/tests/${TestId.of(name)}/change`)

describe("changes", () => {
  it("a broken test names the commit that broke it, with the comparison at the hosting platform", async () => {
    await using server = await serve()
    await history(server, [...repeated(30, "passed"), ...repeated(6, "failed")])
    await withPage(server)
    const change = await changeOf(server, "net > a")
    assert.match(change.sentence, /^with 9\d % it began with c30; the first failure was on c30$/u)
    assert.deepStrictEqual([change.runs, change.failed_runs, change.missing_runs], [36, 6, 0])
    assert.strictEqual(change.first_failure.commit, "c30")
    assert.deepStrictEqual(
      change.intervals.map(({ after, last, level, url }: { readonly [field: string]: unknown }) => [
        level,
        after,
        last,
        url
      ]),
      [
        [0.5, "c29", "c30", "https://gitlab.example/acme/widgets/-/compare/c29...c30"],
        [0.9, "c29", "c30", "https://gitlab.example/acme/widgets/-/compare/c29...c30"],
        [0.99, "c27", "c30", "https://gitlab.example/acme/widgets/-/compare/c27...c30"]
      ]
    )
  })

  it("few runs say how many are missing, a healthy test has no change, and an unknown test is 404", async () => {
    await using server = await serve()
    await history(server, [...repeated(4, "passed"), ...repeated(3, "failed")])
    const change = await changeOf(server, "net > a")
    assert.deepStrictEqual([change.sentence, change.intervals], ["not enough data yet: 3 more runs", []])
    const healthy = await changeOf(server, "ui > x")
    assert.deepStrictEqual([healthy.sentence, healthy.missing_runs], ["healthy: there is no change to look for", 0])
    assert.strictEqual((await server.send(`${repository}/tests/${TestId.of("other")}/change`)).status, 404)
  })

  it("the tests of a cause are one run of each report", async () => {
    await using server = await serve()
    await history(server, [...repeated(30, "passed"), ...repeated(6, "failed")])
    server.setNow(now + Instant.hour)
    await server.run(CauseRounds.use(({ round }) => round))
    const [{ id }] = (await server.json(`${repository}/causes`)).causes
    const change = await server.json(`${repository}/causes/${id}/change`)
    assert.deepStrictEqual([change.runs, change.failed_runs, change.intervals[0].last], [36, 6, "c30"])
    assert.strictEqual(
      (await server.send(`${repository}/causes/6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b/change`)).status,
      404
    )
  })
})
