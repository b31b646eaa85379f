import { Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, upload } from "../wire.ts"

interface Page {
  readonly size: number
  readonly total: number
  readonly executions: ReadonlyArray<{ readonly [field: string]: unknown }>
}

const window = new URLSearchParams({
  start: new Date(now - 5 * Instant.day).toISOString(),
  end: new Date(now).toISOString()
})

describe("export", () => {
  it("the pages of an export hold every execution of the window once, and a cursor goes on after an interruption", async () => {
    await using server = await serve()
    for (let index = 0; index < 4; index++) {
      const xml = junit({ a: "passed", b: index === 2 ? "failed" : "passed", c: "passed" })
      await upload(server, { commit: `c${index}`, at: now - (index + 1) * Instant.day, xml, run: `r${index}` })
    }
    await upload(server, { commit: "old", at: now - 6 * Instant.day, xml: junit({ a: "passed" }) })
    const pages: Array<Page> = []
    let path: string | undefined = `${repository}/export/executions?per_page=2&${window}`
    while (path !== undefined) {
      const answer: Response = await server.send(path)
      assert.strictEqual(answer.status, 200)
      // The schema of the route has these fields.
      pages.push((await answer.json()) as Page)
      const next: string | undefined = /<([^>]+)>; rel="next"/u.exec(answer.headers.get("link") ?? "")?.[1]
      path = next === undefined ? undefined : next.slice(next.indexOf("/v1"))
    }
    assert.deepStrictEqual(
      pages.map(({ size, total }) => [size, total]),
      [
        [2, 3],
        [1, 3]
      ]
    )
    const rows = pages.flatMap(({ executions }) => executions)
    assert.deepStrictEqual(
      rows.map((row) => `${row["test_name"]} ${row["commit"]} ${row["conclusion"]}`),
      ["a", "b", "c"].flatMap((name) =>
        [3, 2, 1, 0].map((index) => `${name} c${index} ${name === "b" && index === 2 ? "failed" : "passed"}`)
      )
    )
    assert.strictEqual(new Set(rows.map((row) => `${row["test_id"]} ${row["execution_id"]}`)).size, rows.length)
    assert.deepInclude(rows[0], { run_id: "r3", duration_seconds: 0.5, job_name: "unit", flaky: false })
  })

  it("a window that ends before it begins, a foreign cursor and an unknown repository are refused", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - Instant.day, xml: junit({ a: "passed" }) })
    const of = async (query: string, path = repository) =>
      (await server.send(`${path}/export/executions?${query}`)).status
    assert.strictEqual(await of("start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z"), 422)
    assert.strictEqual(await of("cursor=abc"), 422)
    assert.strictEqual(await of("", "/v1/ci/acme/repositories/none"), 404)
  })
})
