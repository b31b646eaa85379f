import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Fiber, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as LongAnswer from "../../src/response/LongAnswer.ts"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

const post = { method: "POST" }

describe("upkeep", () => {
  it("a verification of recorded uploads finds no difference, and a refold changes no answer", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed", b: "failed" }) })
    const before = await server.json(`${repository}/search/tests`)
    assert.deepStrictEqual(await server.json(`${repository}/verify`, post), {
      owner: "acme",
      repository: "widgets",
      differences: [],
      total: 0
    })
    assert.deepStrictEqual(await server.json(`${repository}/refold`, post), { owner: "acme", repository: "widgets" })
    assert.deepStrictEqual(await server.json(`${repository}/search/tests`), before)
  })

  it("upkeep is for admin keys, and for known repositories", async () => {
    await using server = await serve()
    for (const path of ["verify", "refold"]) {
      assert.strictEqual((await server.send(`${repository}/${path}`, { ...post, token: tokens.ci })).status, 403)
      const unknown = await server.send(`${repository}/${path}`, post)
      assert.strictEqual(unknown.status, 404)
      assert.include(await unknown.text(), "upload a test report for it")
    }
  })
})

const bodyOf = (answer: object) => {
  assert(HttpServerResponse.isHttpServerResponse(answer) && answer.body._tag === "Stream")
  return Stream.mkString(Stream.decodeText(answer.body.stream))
}

describe("a long answer", () => {
  test("an answer that comes soon is an ordinary one, also when it is a failure", function* () {
    assert.deepStrictEqual(yield* LongAnswer.json(Effect.succeed({ a: 1 })), { a: 1 })
    const early = Effect.andThen(Effect.sleep("9 seconds"), Effect.fail("no"))
    const fiber = yield* Effect.forkChild(Effect.flip(LongAnswer.json(early)))
    yield* TestClock.adjust("9 seconds")
    assert.strictEqual(yield* Fiber.join(fiber), "no")
  })

  test("a long answer sends line breaks until its JSON is ready", function* () {
    const late = Effect.as(Effect.sleep("45 seconds"), { a: 1 })
    const waiting = yield* Effect.forkChild(LongAnswer.json(late))
    yield* TestClock.adjust("10 seconds")
    const reading = yield* Effect.forkChild(bodyOf(yield* Fiber.join(waiting)))
    for (let step = 0; step < 35; step++) yield* TestClock.adjust("1 second")
    const text = yield* Fiber.join(reading)
    assert.match(text, /^\n{4}\{/)
    assert.deepStrictEqual(JSON.parse(text), { a: 1 })
  })

  test("a long answer that fails late breaks off", function* () {
    const late = Effect.andThen(Effect.sleep("15 seconds"), Effect.fail("no"))
    const waiting = yield* Effect.forkChild(LongAnswer.json(late))
    yield* TestClock.adjust("10 seconds")
    const reading = yield* Effect.forkChild(Effect.exit(bodyOf(yield* Fiber.join(waiting))))
    yield* TestClock.adjust("5 seconds")
    assert.isTrue(Exit.isFailure(yield* Fiber.join(reading)))
  })
})
