import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Option } from "effect"
import type { Json } from "../description.ts"
import { junit, now, repository, serve, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

/** The links of an answer by relation. */
const linksOf = (answer: Response): Record<string, string> =>
  Object.fromEntries(
    Array.from((answer.headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/gu), ([, url = "", rel = ""]) => [
      rel,
      url
    ])
  )

const follow = (server: Server, url: string) => server.send(url.replace("http://lazaret.test", ""))

interface Page {
  readonly ids: ReadonlyArray<string>
  readonly links: Record<string, string>
}

const pageOf = async (answer: Response): Promise<Page> => {
  assert.strictEqual(answer.status, 200)
  const body: Json = JSON.parse(await answer.text())
  const rows: ReadonlyArray<Json> = body.tests ?? body.executions ?? body.quarantined_tests
  return { ids: rows.map((row) => row.id ?? `${row.test_name}/${row.job_name}`), links: linksOf(answer) }
}

/** Every page from the first one on, along one relation; `between` happens before each step. */
const walk = async (
  server: Server,
  start: string,
  relation: "next" | "prev",
  between: (step: number) => Promise<void> = async () => {}
) => {
  const pages: Array<Page> = [await pageOf(await follow(server, start))]
  for (let next = pages[0]?.links[relation]; next !== undefined; next = pages.at(-1)?.links[relation]) {
    await between(pages.length)
    pages.push(await pageOf(await follow(server, next)))
  }
  return pages
}

const quarantine = async (server: Server, name: string): Promise<string> => {
  const answer = await server.send(`${repository}/quarantines`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_name: name, reason: "r" })
  })
  return JSON.parse(await answer.text()).id
}

const tests = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, "passed"] as const))

describe("links", () => {
  it("a list on one page has no links", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - 1000, xml: junit(tests(3)) })
    assert.isNull((await server.send(`${repository}/search/tests?per_page=3`)).headers.get("link"))
  })

  it("each relation is there only when there is such a page", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - 1000, xml: junit(tests(5)) })
    const pages = await walk(server, `${repository}/search/tests?per_page=2&sort=test_name&direction=asc`, "next")
    assert.deepStrictEqual(
      pages.map((page) => Object.keys(page.links)),
      [
        ["first", "next", "last"],
        ["first", "prev", "next", "last"],
        ["first", "prev", "last"]
      ]
    )
    const last = await pageOf(await follow(server, pages[0]?.links["last"] ?? ""))
    assert.deepStrictEqual(last.ids, pages.at(-1)?.ids)
  })

  it("all other parameters stay as they were written, byte for byte", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - 1000, xml: junit(tests(3)) })
    const query = "x=%e4%bd%A0+1&per_page=1&test_name=t*&test_name=%74%2a&flag&direction=asc"
    const links = linksOf(await server.send(`${repository}/search/tests?${query}`))
    assert.strictEqual(links["first"], `http://lazaret.test${repository}/search/tests?${query}`)
    assert.isTrue(links["next"]?.startsWith(`${links["first"]}&cursor=`))
    const second = linksOf(await follow(server, links["next"] ?? ""))
    assert.strictEqual(second["first"], links["first"])
  })

  it("links lead to the public URL when there is one, and else to where the request came", async () => {
    await using server = await serve({ config: { publicUrl: Option.some("https://ci.example.com/lazaret/") } })
    await upload(server, { commit: "c", at: now - 1000, xml: junit(tests(2)) })
    const path = `${repository}/search/tests?per_page=1`
    assert.strictEqual(linksOf(await server.send(path))["first"], `https://ci.example.com/lazaret${path}`)
    assert.deepStrictEqual((await server.json("/openapi.json")).servers, [{ url: "https://ci.example.com/lazaret/" }])
    await using other = await serve()
    await upload(other, { commit: "c", at: now - 1000, xml: junit(tests(2)) })
    const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" }
    assert.strictEqual(
      linksOf(await other.send(path, { headers: { ...forwarded, host: "h:1" } }))["first"],
      `http://h:1${path}`
    )
  })

  it("a cursor belongs to its list, filters and sort, and is refused anywhere else", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now - 1000, xml: junit(tests(3)) })
    for (const name of ["t0", "t1", "t2"]) await quarantine(server, name)
    const path = `${repository}/search/tests?per_page=1&sort=test_name`
    const cursor = new URL(linksOf(await server.send(path))["next"] ?? "").searchParams.get("cursor") ?? ""
    assert.match(cursor, /^[\w.-]+$/u)
    const status = async (url: string, text = cursor) =>
      (await server.send(`${url}&cursor=${encodeURIComponent(text)}`)).status
    assert.strictEqual(await status(path), 200)
    assert.strictEqual(await status(`${repository}/search/tests?per_page=2&sort=test_name`), 200)
    for (const other of [
      `${path}&direction=asc`,
      `${path}&job_name=unit`,
      `${repository}/search/tests?per_page=1`,
      `${repository}/quarantines?per_page=1`
    ]) {
      assert.strictEqual(await status(other), 422, other)
    }
    for (const wrong of ["", "x", `${cursor}x`, cursor.slice(1), cursor.toUpperCase(), `${cursor}\0`, "\u{1F600}"]) {
      assert.strictEqual(await status(path, wrong), 422, wrong)
    }
  })

  it("walking next and then prev shows the same pages, whatever their size and sort", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now - 2000, xml: junit(tests(7)) })
    await upload(server, { commit: "c2", at: now - 1000, xml: junit({ t1: "failed", t3: "failed" }), job: "slow" })
    const sorts = ["executions_count", "test_name", "job_name", "health_status", "failed_executions_impact"]
    for (const sort of sorts) {
      for (const size of [1, 2, 4, 8]) {
        const path = `${repository}/search/tests?sort=${sort}&direction=asc&per_page=${size}`
        const forth = await walk(server, path, "next")
        assert.strictEqual(new Set(forth.flatMap((page) => page.ids)).size, 9)
        const back = await walk(server, forth[0]?.links["last"] ?? path, "prev")
        assert.deepStrictEqual(
          back.toReversed().map((page) => page.ids),
          forth.map((page) => page.ids)
        )
      }
    }
  })

  it("walking while rows come and go neither repeats nor skips a row that stayed", async () => {
    const step = fc.record({ removes: fc.nat(30), adds: fc.nat(2) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (steps, size) => {
        await using server = await serve()
        const present: Array<string> = []
        for (let index = 0; index < 12; index += 1) {
          server.setNow(now + (index % 4))
          present.push(await quarantine(server, `q${index}`))
        }
        const stayed = new Set(present)
        const pages = await walk(server, `${repository}/quarantines?per_page=${size}`, "next", async (index) => {
          const { adds, removes } = steps[index - 1] ?? { adds: 0, removes: 999 }
          const [gone] = present.splice(removes, 1)
          if (gone !== undefined) {
            stayed.delete(gone)
            await server.send(`${repository}/quarantines/${gone}`, { method: "DELETE" })
          }
          server.setNow(now - index)
          for (let added = 0; added < adds; added += 1) await quarantine(server, `new${index}.${added}`)
        })
        const seen = pages.flatMap((page) => page.ids)
        assert.strictEqual(new Set(seen).size, seen.length)
        assert.includeMembers(seen, [...stayed])
      }),
      { numRuns: 25 }
    )
  })
})
