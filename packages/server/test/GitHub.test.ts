import { assert, describe, it } from "@effect/vitest"
import { HostingPlatform } from "@lazaret/services"
import { Effect, Fiber, Layer, Option } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as GitHub from "../src/GitHub.ts"

const ref = { owner: "acme", repository: "widgets" }

interface Asked {
  readonly url: string
  readonly authorization: string | undefined
}

/** A platform that gives the same answer to every request, and records the requests. */
const platform = (status: number, body: unknown, delay = 0) => {
  const asked: Array<Asked> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      asked.push({ url: url.href, authorization: request.headers["authorization"] })
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status }))
    }).pipe(Effect.delay(delay))
  )
  const layer = Layer.provide(GitHub.layer("https://hub.test"), Layer.succeed(HttpClient.HttpClient, client))
  return { asked, layer }
}

const permission = (token: string, of = ref) => Effect.flatMap(HostingPlatform, (each) => each.permission(token, of))

const pullOf = (commit: string) => Effect.flatMap(HostingPlatform, (each) => each.pullOf(ref, commit))

const sha = "0123456789abcdef0123456789abcdef01234567"

const pull = (number: number, fields: object) => ({
  id: number * 10,
  number,
  title: `change ${number}`,
  user: { id: 7, login: "ada", type: "User" },
  merged_at: "2026-01-01T00:00:00Z",
  merge_commit_sha: null,
  ...fields
})

describe("permissions of a GitHub token", () => {
  const cases: ReadonlyArray<readonly [string, number, unknown, string]> = [
    ["may push: write", 200, { full_name: "Acme/Widgets", permissions: { pull: true, push: true } }, "write"],
    ["may pull: read", 200, { full_name: "acme/widgets", permissions: { pull: true, push: false } }, "read"],
    ["may nothing: none", 200, { permissions: { pull: false, push: false } }, "none"],
    ["says no permissions: none", 200, { full_name: "acme/widgets" }, "none"],
    ["another repository, after a renaming: none", 200, { full_name: "evil/w", permissions: { push: true } }, "none"],
    ["unknown there: none", 404, { message: "Not Found" }, "none"],
    ["bad token: none", 401, {}, "none"],
    ["a failure of the platform: none", 500, {}, "none"],
    ["another answer: none", 200, "hello", "none"]
  ]
  for (const [name, status, body, expected] of cases) {
    it.effect(name, () => {
      const { layer } = platform(status, body)
      return Effect.provide(
        Effect.map(permission("secret"), (found) => assert.strictEqual(found, expected)),
        layer
      )
    })
  }

  it.effect("a permission is requested with the token, at most once in a minute", () => {
    const { asked, layer } = platform(200, { permissions: { push: true } })
    return Effect.gen(function* () {
      yield* Effect.all([permission("secret"), permission("secret")], { concurrency: 2 })
      yield* TestClock.adjust("59 seconds")
      yield* permission("secret")
      assert.deepStrictEqual(asked, [{ url: "https://hub.test/repos/acme/widgets", authorization: "Bearer secret" }])
      yield* permission("another")
      yield* TestClock.adjust("2 seconds")
      yield* permission("secret")
      assert.strictEqual(asked.length, 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a token has no permission when the platform takes longer than five seconds", () => {
    const { layer } = platform(200, { permissions: { push: true } }, 6000)
    return Effect.gen(function* () {
      const found = yield* Effect.forkChild(permission("secret"))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(found), "none")
    }).pipe(Effect.provide(layer))
  })

  it.effect("a failed request for a permission is repeated after five seconds, not before", () => {
    const { asked, layer } = platform(503, {})
    return Effect.gen(function* () {
      yield* permission("secret")
      yield* permission("secret")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("6 seconds")
      yield* permission("secret")
      assert.strictEqual(asked.length, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("no request is sent for a name that stands for another path, or a token that a header cannot carry", () => {
    const { asked, layer } = platform(200, { permissions: { push: true } })
    return Effect.gen(function* () {
      assert.strictEqual(yield* permission("secret", { owner: "acme", repository: ".." }), "none")
      assert.strictEqual(yield* permission("two\nlines"), "none")
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.provide(layer))
  })
})

describe("the pull request of a commit at GitHub", () => {
  it.effect("the pull request of a commit is the merged one whose merge commit it is", () => {
    const { asked, layer } = platform(200, [
      pull(1, { merged_at: null, merge_commit_sha: sha }),
      pull(2, {}),
      pull(3, { merge_commit_sha: sha })
    ])
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* pullOf(sha),
        Option.some({ id: 30, number: 3, title: "change 3", user: { id: 7, login: "ada" } })
      )
      assert.deepStrictEqual(asked, [
        { url: `https://hub.test/repos/acme/widgets/commits/${sha}/pulls`, authorization: undefined }
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a commit has no pull request when none was merged, none is known, or the platform fails", () =>
    Effect.gen(function* () {
      const answers = [
        platform(200, [pull(1, { merged_at: null })]),
        platform(200, []),
        platform(422, { message: "No commit found" }),
        platform(500, {})
      ]
      for (const { layer } of answers) {
        assert.deepStrictEqual(yield* Effect.provide(pullOf(sha), Layer.fresh(layer)), Option.none())
      }
    })
  )

  it.effect("no request is sent for a text that cannot be a commit id", () => {
    const { asked, layer } = platform(200, [pull(1, { merge_commit_sha: "../../x" })])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* pullOf("../../x"), Option.none())
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.provide(layer))
  })
})

describe("a file at GitHub", () => {
  const file = (path: string) => Effect.flatMap(HostingPlatform, (each) => each.file(ref, path))

  it.effect("a file is its text, and each read sends a request", () => {
    const content = "cXVldWVfcnVsZXM6CiAgLSBuYW1lOiDD\nqQo=\n"
    const { asked, layer } = platform(200, { type: "file", encoding: "base64", content })
    return Effect.gen(function* () {
      yield* file(".mergify.yml")
      assert.deepStrictEqual(yield* file("a b/c?.yml"), Option.some("queue_rules:\n  - name: é\n"))
      assert.deepStrictEqual(
        asked.map(({ url }) => url),
        [
          "https://hub.test/repos/acme/widgets/contents/.mergify.yml",
          "https://hub.test/repos/acme/widgets/contents/a%20b/c%3F.yml"
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("a file is absent when it is a folder, does not exist, or the platform fails", () =>
    Effect.gen(function* () {
      for (const { layer } of [platform(200, [{ type: "file" }]), platform(404, {}), platform(500, {})]) {
        assert.deepStrictEqual(yield* Effect.provide(file("x"), Layer.fresh(layer)), Option.none())
      }
    })
  )
})
