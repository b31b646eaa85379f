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

  it("the last page names when something ran next, and a window without executions lists no test", async () => {
    await using server = await serve()
    for (const daysAgo of [9, 2])
      await upload(server, {
        commit: `c${daysAgo}`,
        at: now - daysAgo * Instant.day,
        xml: junit({ a: "passed", b: "passed" })
      })
    const of = async (start: number, end: number, rest = "") => {
      const bounds = new URLSearchParams({ start: new Date(start).toISOString(), end: new Date(end).toISOString() })
      // The schema of the route has these fields.
      return (await (await server.send(`${repository}/export/executions?${bounds}${rest}`)).json()) as Page & {
        readonly next_start: string | null
      }
    }
    const empty = await of(0, Instant.day)
    assert.deepStrictEqual([empty.total, empty.next_start], [0, new Date(now - 9 * Instant.day).toISOString()])
    const last = await of(now - 2 * Instant.day, now)
    assert.deepStrictEqual([last.total, last.executions.length, last.next_start], [2, 2, null])
    const first = await of(now - 10 * Instant.day, now - 5 * Instant.day, "&per_page=1")
    assert.deepStrictEqual([first.total, first.executions.length, first.next_start], [2, 1, null])
  })

  it("verdicts have pages too, and refuse what executions refuse", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - Instant.day, xml: junit({ a: "passed" }) })
    const path = `${repository}/export/verdicts`
    const page = await server.send(`${path}?${window}`)
    assert.deepStrictEqual([page.status, await page.json()], [200, { size: 0, per_page: 10, verdicts: [] }])
    const refused = await server.send(`${path}?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z`)
    assert.strictEqual(refused.status, 422)
    assert.strictEqual((await server.send(`${path}?cursor=abc`)).status, 422)
    assert.strictEqual((await server.send("/v1/ci/acme/repositories/none/export/verdicts")).status, 404)
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
