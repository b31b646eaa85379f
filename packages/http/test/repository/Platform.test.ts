import { assert, describe, it } from "@effect/vitest"
import { DriveForge, ForgeError, HostingPlatform, QueueForge, ScratchForge } from "@lazaret/services"
import { Deferred, Effect, Layer } from "effect"
import { now, junit, repository, serve, tokens, upload } from "../wire.ts"

/** A platform that may be driven, whose first answer about the scratch repository comes when it is let go, and is a refusal. */
const refusing = (isLetGo: Deferred.Deferred<void>) => {
  const unused = () => Effect.die("not used")
  const refusal = new ForgeError({
    operation: "first",
    owner: "acme",
    repository: "scratch",
    reason: "refused",
    retryAt: null,
    message: "the app is not installed"
  })
  const first = () => Effect.andThen(Deferred.await(isLetGo), Effect.fail(refusal))
  const drive = DriveForge.of({
    host: Effect.succeed("github.test"),
    branches: () => Effect.succeed([]),
    describe: unused,
    build: unused,
    publish: unused,
    discard: unused,
    land: unused,
    merge: unused,
    close: unused
  })
  const queue = QueueForge.of({
    pull: unused,
    openPulls: unused,
    checks: unused,
    queue: unused,
    tip: unused,
    rules: unused,
    permission: unused,
    sweepAt: unused,
    setCheck: unused,
    runsInProgress: unused,
    rerun: unused,
    cancel: unused,
    cancelChecks: unused,
    enqueue: unused,
    dequeue: unused
  })
  return Layer.mergeAll(
    HostingPlatform.layerOff,
    Layer.succeed(DriveForge, drive),
    Layer.succeed(QueueForge, queue),
    Layer.succeed(ScratchForge, ScratchForge.of({ first, commit: unused, openPull: unused }))
  )
}

const owners = `${repository}/owners/file`

describe("a repository and its hosting platform", () => {
  it("an uploaded CODEOWNERS is removed once, and only with a key that writes", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    const remove = (token = tokens.admin) => server.send(owners, { method: "DELETE", token })
    assert.strictEqual((await remove()).status, 404)
    const uploaded = await server.send(owners, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "* @acme/web\n" })
    })
    assert.strictEqual(uploaded.status, 200)
    assert.strictEqual((await remove(tokens.readOnly)).status, 403)
    assert.strictEqual((await remove()).status, 204)
    assert.strictEqual((await remove()).status, 404)
  })

  it("the owners of a repository and of a test follow its CODEOWNERS and the files of its tests", async () => {
    await using server = await serve()
    const xml = `<testsuite><testcase name="adds" file="web/cart.test.ts"/><testcase name="sorts" file="db.test.ts"/></testsuite>`
    await upload(server, { commit: "c1", at: now, xml })
    await server.send(owners, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "/web/ @acme/web\n" })
    })
    const listed = await server.json(`${repository}/owners`)
    assert.include(JSON.stringify(listed), "@acme/web")
    const { tests } = await server.json(`${repository}/search/tests?test_name=*adds`)
    const own = await server.json(`${repository}/tests/${tests[0].test_id}/owners`)
    assert.deepStrictEqual(own.owners, ["@acme/web"])
    assert.strictEqual((await server.send(`${repository}/tests/${crypto.randomUUID()}/owners`)).status, 422)
  })

  it("a repository without issues has an empty list, and an unknown repository is 404", async () => {
    await using server = await serve()
    assert.strictEqual((await server.send(`${repository}/issues`)).status, 404)
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    const nothing = { total: 0, issues: [], checked_at: null, next_at: null, failure: null }
    assert.deepStrictEqual(await server.json(`${repository}/issues`), nothing)
  })

  it("a backfill without a hosting platform is refused, and stores nothing", async () => {
    await using server = await serve()
    const backfill = (body: object) =>
      server.send(`${repository}/backfill`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const refused = await backfill({ from: "2026-06-01T00:00:00Z" })
    assert.strictEqual(refused.status, 409, await refused.text())
    assert.strictEqual((await backfill({ from: "yesterday" })).status, 422)
    assert.strictEqual((await server.send(`${repository}/search/tests`)).status, 404)
  })

  it("a read-only key cannot end the trial of a gate, and a repository without a gate is a conflict", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    const waive = (token: string, body: object) =>
      server.send(`${repository}/merge-queue/trial`, {
        method: "PUT",
        token,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const body = { reason: "tried by hand" }
    assert.strictEqual((await waive(tokens.readOnly, body)).status, 403)
    assert.strictEqual((await waive(tokens.admin, {})).status, 422)
    assert.strictEqual((await waive(tokens.admin, body)).status, 409)
  })

  it("a platform is certified by those who administer both repositories, and only where one is connected", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    const certify = (body: object, token: string = tokens.admin) =>
      server.send(`${repository}/merge-queue/certification`, {
        method: "POST",
        token,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const scratch = { owner: "acme", repository: "scratch" }
    assert.strictEqual((await certify(scratch, tokens.readOnly)).status, 403)
    assert.strictEqual((await certify({ ...scratch, repository: "widgets" })).status, 422)
    assert.strictEqual((await certify(scratch)).status, 409)
    assert.strictEqual(
      (await server.send(`${repository}/merge-queue/certification`, { token: tokens.admin })).status,
      404
    )
    const { secret } = await server.json("/v1/application-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "acme", scope: "admin", owner: "acme" })
    })
    assert.strictEqual((await certify(scratch, secret)).status, 409)
    assert.strictEqual((await certify({ ...scratch, owner: "umbra" }, secret)).status, 403)
  })

  it("a certification is a job: its start is answered at once, another one is a conflict, and its end is read", async () => {
    const isLetGo = Deferred.makeUnsafe<void>()
    await using server = await serve({ platform: refusing(isLetGo) })
    await upload(server, { commit: "c1", at: now, xml: junit({ a: "passed" }) })
    const path = `${repository}/merge-queue/certification`
    const certify = () =>
      server.send(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ owner: "acme", repository: "scratch" })
      })
    const begun = await certify()
    assert.strictEqual(begun.status, 202, await begun.clone().text())
    const { host, scratch, state } = JSON.parse(await begun.text())
    assert.deepStrictEqual([host, scratch, state], ["github.test", "acme/scratch", "running"])
    const again = await certify()
    assert.strictEqual(again.status, 409)
    assert.include(await again.text(), "runs already: admin began it")
    await server.run(Deferred.succeed(isLetGo, undefined))
    const ended = await server.json(path)
    assert.deepStrictEqual([ended.state, ended.cases], ["failed", []])
    assert.include(ended.failure, "the app is not installed")
    assert.strictEqual((await certify()).status, 202)
  })
})
