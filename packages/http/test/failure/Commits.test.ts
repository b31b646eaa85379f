import { assert, describe, it } from "@effect/vitest"
import { junit, repository, serve } from "../wire.ts"

const xml = (body: string) => ({ method: "POST", headers: { "content-type": "application/xml" }, body })

const pull = JSON.stringify({ id: 901, number: 42, title: "Pay with a card", user: { id: 7, login: "octocat" } })

const run = (parts: Record<string, string>) =>
  `${repository}/reports?${new URLSearchParams({ pipeline_name: "CI", job_name: "unit", ...parts })}`

describe("the lists of commits and pull requests", () => {
  it("a list finds a change by number, title, branch, commit and run, and the red ones alone", async () => {
    await using server = await serve()
    const send = (parts: Record<string, string>, outcome: "passed" | "failed") =>
      server.send(run(parts), xml(junit({ a: outcome })))
    await send({ commit: "4f1c2a9b", branch: "main", run_id: "1" }, "passed")
    await send(
      {
        finished_at: "2026-06-30T00:00:00Z",
        commit: "aa11",
        branch: "pay",
        base_branch: "main",
        run_id: "2",
        pull_request: pull
      },
      "failed"
    )
    await send(
      {
        finished_at: "2026-06-30T01:00:00Z",
        commit: "bb22",
        branch: "pay",
        base_branch: "main",
        run_id: "3",
        pull_request: pull
      },
      "failed"
    )
    await send({ commit: "cc33", branch: "api", base_branch: "main", run_id: "4", pull_request: "5" }, "passed")
    const found = async (list: "commits" | "pulls", query = "") => {
      const page = await server.json(`${repository}/${list}?${query}`)
      return page.commits.map(({ commit }: { readonly commit: string }) => commit).toSorted()
    }
    assert.deepStrictEqual(await found("commits"), ["4f1c2a9b", "aa11", "bb22", "cc33"])
    assert.deepStrictEqual(await found("pulls"), ["bb22", "cc33"])
    assert.deepStrictEqual(await found("pulls", "conclusion=failure"), ["bb22"])
    assert.deepStrictEqual(await found("pulls", "search=%2342"), ["bb22"])
    assert.deepStrictEqual(await found("pulls", "search=5"), ["cc33"])
    assert.deepStrictEqual(await found("commits", "search=4F1C"), ["4f1c2a9b"])
    assert.deepStrictEqual(await found("commits", "search=CARD"), ["aa11", "bb22"])
    assert.deepStrictEqual(await found("commits", "search=3"), ["bb22"])
    const ofFive = await server.json(`${repository}/pulls?search=5`)
    assert.deepStrictEqual(ofFive.commits[0].pull_request, { number: 5, title: null, author: null })
    assert.strictEqual((await server.send(`${repository}/commits?conclusion=red`)).status, 422)
  })

  it("pages follow each other without a gap", async () => {
    await using server = await serve()
    for (const commit of ["a", "b", "c"])
      await server.send(run({ commit, branch: "main" }), xml(junit({ a: "passed" })))
    const first = await server.send(`${repository}/commits?per_page=2`)
    const next = /<http:\/\/lazaret\.test([^>]+)>; rel="next"/u.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    assert.notStrictEqual(next, "")
    const rest = await server.json(next)
    const named = [...JSON.parse(await first.text()).commits, ...rest.commits].map(({ commit }) => commit)
    assert.deepStrictEqual(named.toSorted(), ["a", "b", "c"])
  })
})
