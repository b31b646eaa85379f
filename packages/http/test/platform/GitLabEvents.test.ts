import { assert, describe, it } from "@effect/vitest"
import { secret, takesDeliveries } from "../gitlab.ts"
import { type Call, serve } from "../wire.ts"

const path = "/v1/webhooks/gitlab"

const opened = {
  object_kind: "merge_request",
  user: { id: 7, username: "ada" },
  project: { path_with_namespace: "acme/widgets", default_branch: "trunk" },
  object_attributes: { id: 9, iid: 1, title: "t", action: "open", author_id: 7, last_commit: { id: "a".repeat(40) } }
}

const delivery = (body: unknown, headers: Readonly<Record<string, string>> = {}): Call => ({
  method: "POST",
  token: null,
  headers: { "content-type": "application/json", "x-gitlab-token": secret, ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

describe("deliveries of GitLab", () => {
  it("deliveries are not found without a secret, and refused with another one before they are read", async () => {
    await using off = await serve()
    assert.strictEqual((await off.send(path, delivery(opened))).status, 404)
    await using server = await serve({ config: takesDeliveries })
    for (const token of ["", "0123456789abcdeF", `${secret} x`, secret.slice(1)]) {
      const answer = await server.send(path, delivery("no json", { "x-gitlab-token": token }))
      assert.strictEqual(answer.status, 403, token)
      assert.notInclude(await answer.text(), secret)
    }
  })

  it("deliveries set the default branch and ask for a report, also the second time", async () => {
    await using server = await serve({ config: takesDeliveries })
    const first = await server.send(path, delivery(opened))
    assert.strictEqual(first.status, 202)
    assert.deepStrictEqual(JSON.parse(await first.text()), {
      accepted: true,
      outcomes: [],
      notes: [
        "The default branch is trunk from now on.",
        `The report on commit ${"a".repeat(40)} is brought up to date.`
      ]
    })
    assert.strictEqual((await server.send(path, delivery(opened))).status, 202)
  })

  it("deliveries of another event are ignored with a reason; malformed ones name every fault", async () => {
    await using server = await serve({ config: takesDeliveries })
    const answers = async (call: Call) => {
      const response = await server.send(path, call)
      return { status: response.status, text: await response.text() }
    }
    assert.deepStrictEqual(await answers(delivery({ object_kind: "release" })), {
      status: 202,
      text: JSON.stringify({ accepted: false, reason: 'Deliveries about "release" are not used here.' })
    })
    const malformed = await answers(delivery({ ...opened, user: {} }))
    assert.strictEqual(malformed.status, 422)
    assert.include(malformed.text, "body.user.id")
    assert.strictEqual((await answers(delivery("{"))).status, 422)
    assert.strictEqual((await answers(delivery("a=b", { "content-type": "text/plain" }))).status, 415)
  })
})
