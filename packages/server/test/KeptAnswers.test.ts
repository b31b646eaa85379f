import { hash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { keptRoutes } from "@lazaret/api"
import { Instant, Role, TestId } from "@lazaret/domain"
import { RepositoryStore, RetentionStore, SessionStore, UpkeepStore } from "@lazaret/store"
import { ManagedRuntime } from "effect"
import * as fc from "fast-check"
import * as Storage from "../src/Storage.ts"
import { keepsNothing, missesWrites, type Server, type Versions, World } from "./keptWorld.ts"

const tests = ["adds", "removes", "pays"]

/** The events between two rounds of questions. */
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("wait" as const), at: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("upload" as const),
      commit: fc.nat(6),
      failed: fc.subarray(tests),
      branch: fc.constantFrom("main", "topic"),
      minutes: fc.constantFrom(-7, 0, 60, 4000)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("quarantine" as const),
      test: fc.constantFrom(...tests),
      branch: fc.constantFrom("main", null)
    })
  },
  fc.record({ _tag: fc.constant("release" as const), index: fc.nat(2) }),
  fc.record({ _tag: fc.constant("settings" as const), days: fc.integer({ min: 1, max: 7 }) }),
  fc.record({ _tag: fc.constant("expiry" as const), days: fc.integer({ min: 0, max: 3 }) }),
  fc.record({
    _tag: fc.constant("key" as const),
    scope: fc.constantFrom("read", "ci", "upload"),
    owner: fc.constantFrom("acme", "another")
  }),
  fc.record({
    _tag: fc.constant("role" as const),
    role: fc.constantFrom(...Role.Role.literals),
    owner: fc.constantFrom("acme", "another", null)
  }),
  fc.record({ _tag: fc.constant("pause" as const), method: fc.constantFrom("PUT", "DELETE") }),
  fc.record({ _tag: fc.constant("removal" as const) }),
  fc.record({ _tag: fc.constant("retention" as const) }),
  fc.record({ _tag: fc.constant("refold" as const) })
)

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never

const after = (now: number, at: number): number => {
  const midnight = Instant.endOfDay(now)
  return (
    [
      now + Instant.minute,
      midnight - 1,
      midnight,
      now + Instant.day,
      now + 7 * Instant.day - 1,
      now + 30 * Instant.day
    ][at] ?? now
  )
}

/** A caller other than the admin: the headers that it sends, and how it loses its access. */
interface Caller {
  readonly headers: Readonly<Record<string, string>>
  readonly revoke: () => Promise<unknown>
}

interface Scene {
  readonly world: World
  readonly ref: { readonly owner: string; readonly repository: string }
  readonly base: string
  /** The present key and the present session of a person. */
  readonly callers: Map<"key" | "role", Caller>
  /** The headers of keys and sessions that are revoked. */
  readonly revoked: Array<Caller["headers"]>
  runs: number
}

/** Replaces the key of a program or the role of a person. A key that was found is used for a second at most. */
const replace = async (scene: Scene, kind: "key" | "role", caller: Caller): Promise<void> => {
  const former = scene.callers.get(kind)
  scene.callers.set(kind, caller)
  if (former === undefined) return
  await former.revoke()
  scene.revoked.push(former.headers)
  scene.world.time.now += Instant.second
}

const issueKey = async (scene: Scene, ask: Server, step: Extract<Step, { readonly _tag: "key" }>): Promise<void> => {
  const body = JSON.stringify({ name: "reader", scope: step.scope, owner: step.owner })
  const headers = { "content-type": "application/json" }
  const { id, secret } = JSON.parse((await ask("/v1/application-keys", { method: "POST", body, headers })).body)
  await replace(scene, "key", {
    headers: { authorization: `Bearer ${secret}` },
    revoke: () => ask(`/v1/application-keys/${id}`, { method: "DELETE" })
  })
}

/** A person signs in again, and has another role then. */
const signIn = async (scene: Scene, step: Extract<Step, { readonly _tag: "role" }>): Promise<void> => {
  const { time, run } = scene.world
  const [id, secret] = [crypto.randomUUID(), `lzs_${crypto.randomUUID()}`]
  const session = {
    id,
    hash: hash("sha256", secret, "hex"),
    kind: "user",
    subjectId: "ada",
    name: "ada",
    owner: null,
    provider: "oidc",
    grants: [{ role: step.role, owner: step.owner, repository: null }],
    createdAt: time.now,
    seenAt: time.now,
    address: null,
    agent: null
  } as const
  await run(SessionStore.use((store) => store.insert(session)))
  await replace(scene, "role", {
    headers: { cookie: `lazaret_session=${secret}` },
    revoke: () => run(SessionStore.use((store) => store.remove(id)))
  })
}

const upload = (scene: Scene, ask: Server, step: Extract<Step, { readonly _tag: "upload" }>) => {
  const { branch, commit, failed, minutes } = step
  const cases = tests.map(
    (name) =>
      `<testcase classname="cart" name="${name}">${failed.includes(name) ? "<failure message='no'/>" : ""}</testcase>`
  )
  scene.runs += 1
  const finished = new Date(scene.world.time.now - minutes * Instant.minute).toISOString()
  const query = `pipeline_name=CI&job_name=unit&commit=c${commit}&branch=${branch}&run_id=${scene.runs}&finished_at=${finished}`
  return ask(`${scene.base}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite name="s" timestamp="${finished}">${cases.join("")}</testsuite>`
  })
}

const idsOf = async (scene: Scene, ask: Server): Promise<ReadonlyArray<string>> => {
  const { body, status } = await ask(`${scene.base}/quarantines`)
  return status === 200 ? JSON.parse(body).quarantined_tests.map(({ id }: { readonly id: string }) => id) : []
}

const act = async (scene: Scene, ask: Server, step: Step): Promise<unknown> => {
  const { base, ref, world } = scene
  switch (step._tag) {
    case "wait":
      world.time.now = after(world.time.now, step.at)
      return
    case "upload":
      return upload(scene, ask, step)
    case "quarantine": {
      const body = JSON.stringify({ test_name: `cart.${step.test}`, reason: "flaky", branch: step.branch })
      return ask(`${base}/quarantines`, { method: "POST", body, headers: { "content-type": "application/json" } })
    }
    case "release": {
      const id = (await idsOf(scene, ask))[step.index]
      return id === undefined ? undefined : ask(`${base}/quarantines/${id}`, { method: "DELETE" })
    }
    case "settings": {
      const days = { recoveredDays: step.days, recoveredPasses: step.days }
      return world.run(
        RepositoryStore.use((store) => store.change(ref, (held) => ({ ...held, quarantine: days }), world.time.now))
      )
    }
    case "expiry":
      return world.run(
        RepositoryStore.use((store) =>
          store.change(ref, (held) => ({ ...held, quarantine: { expiryDays: step.days } }), world.time.now)
        )
      )
    case "key":
      return issueKey(scene, ask, step)
    case "role":
      return signIn(scene, step)
    case "pause":
      return ask(`/v1/repos/${ref.owner}/${ref.repository}/merge-queue/pause`, {
        method: step.method,
        ...(step.method === "PUT" ? { body: JSON.stringify({ reason: "release" }) } : {}),
        headers: { "content-type": "application/json" }
      })
    case "removal":
      return ask(base, {
        method: "DELETE",
        body: JSON.stringify({ confirm: `${ref.owner}/${ref.repository}` }),
        headers: { "content-type": "application/json" }
      })
    case "retention":
      return world.run(RetentionStore.use((store) => store.drop(ref, world.time.now - 14 * Instant.day)))
    case "refold":
      return world.run(UpkeepStore.use((store) => store.refold(ref)))
  }
}

/** More questions for a route, next to the one without a query. */
const queries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/quarantines": ["?per_page=1&branch=main"],
  "/search/tests": ["?per_page=2"],
  "/tests": ["?per_page=2"]
}

/** The values of the parameters of paths: of each the latest that exist. */
type Values = Readonly<Record<string, ReadonlyArray<string>>>

const valuesOf = async (scene: Scene, ask: Server): Promise<Values> => {
  const test = TestId.of("cart.pays")
  const { body, status } = await ask(`${scene.base}/tests/${test}/failures`)
  const failures = status === 200 ? JSON.parse(body).failures : []
  return {
    owner: [scene.ref.owner],
    repository: [scene.ref.repository],
    test_id: [TestId.of("cart.adds"), test],
    failure_id: failures.slice(0, 1).map(({ id }: { readonly id: string }) => id),
    quarantine_id: (await idsOf(scene, ask)).slice(0, 1),
    stat: ["flaky_tests"]
  }
}

/** Every path of a route, with each value of each parameter. */
const filled = (path: string, values: Values): ReadonlyArray<string> => {
  const name = /:(\w+)/u.exec(path)?.[1]
  if (name === undefined) return [path]
  const known = values[name] ?? assert.fail(`valuesOf has no values of the parameter ${name}: add them`)
  return known.flatMap((value) => filled(path.replace(`:${name}`, value), values))
}

/** The questions of every route whose answers may be kept. */
const pathsOf = (values: Values): ReadonlyArray<string> =>
  keptRoutes.flatMap(({ path }) =>
    ["", ...(queries[path.replace(/^.*:repository/u, "")] ?? [])].flatMap((query) => filled(path + query, values))
  )

/** Plays a story on two servers that keep answers, and compares each of their answers with one that is made now. */
const play = async (world: World, kept: readonly [Server, Server], fresh: Server, steps: ReadonlyArray<Step>) => {
  const ref = { owner: "acme", repository: `r${crypto.randomUUID()}` }
  const base = `/v1/ci/${ref.owner}/repositories/${ref.repository}`
  const scene: Scene = { world, ref, base, callers: new Map(), revoked: [], runs: 0 }
  for (const [index, step] of steps.entries()) {
    const [writer, other] = index % 2 === 0 ? kept : [kept[1], kept[0]]
    const values = await valuesOf(scene, fresh)
    // Concurrent reads may be answered from before the write or from after it. Only a third of them run: together with
    // the write they must not take every connection to the database.
    const isAsked = (at: number) => step._tag !== "key" && step._tag !== "role" && at % 3 === index % 3
    const meanwhile = pathsOf(values).filter((_, at) => isAsked(at))
    await Promise.all([act(scene, writer, step), ...meanwhile.map((path) => other(path))])
    for (const path of pathsOf(values)) {
      const { etag: _, ...now } = await fresh(path)
      const answers = [await writer(path), await other(path)] as const
      for (const { etag, ...answer } of answers) {
        assert.deepStrictEqual(answer, now, `${path} after ${JSON.stringify(step)}`)
        assert.strictEqual(etag, answers[0].etag)
        if (etag === null) continue
        world.tagged.add(path)
        const again = await other(path, { headers: { "if-none-match": `"x", W/${etag}` } })
        assert.deepStrictEqual([again.status, again.body, again.etag], [304, "", etag], path)
      }
    }
    await compareCallers(scene, kept, fresh)
  }
}

/** Each caller gets what its access allows now, and a revoked one nothing, also of answers that are kept. */
const compareCallers = async ({ base, callers, revoked }: Scene, kept: readonly [Server, Server], fresh: Server) => {
  for (const path of [`${base}/quarantines`, `${base}/summary`, `${base}/tests/stats/flaky_tests`]) {
    for (const { headers } of callers.values()) {
      const { body, status } = await fresh(path, { headers })
      for (const ask of kept) {
        const answer = await ask(path, { headers })
        assert.deepStrictEqual([answer.status, answer.body], [status, body], path)
      }
    }
    for (const headers of revoked) {
      for (const ask of kept) assert.strictEqual((await ask(path, { headers })).status, 403, path)
    }
  }
}

const law = async (
  world: World,
  parameters: fc.Parameters<[Array<Step>]>,
  change?: (versions: Versions) => Versions
) => {
  const kept = [world.server(change), world.server(change)] as const
  const fresh = world.server(keepsNothing)
  return fc.check(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 10 }), (steps) => play(world, kept, fresh, steps)),
    parameters
  )
}

/** Access is given and taken, and the repository is removed and comes back: random stories rarely hold these steps. */
const access: Array<Step> = [
  { _tag: "upload", commit: 0, failed: ["adds", "pays"], branch: "main", minutes: 0 },
  { _tag: "quarantine", test: "adds", branch: null },
  { _tag: "pause", method: "PUT" },
  { _tag: "key", scope: "read", owner: "acme" },
  { _tag: "role", role: "viewer", owner: "acme" },
  { _tag: "key", scope: "upload", owner: "acme" },
  { _tag: "role", role: "admin", owner: "another" },
  { _tag: "removal" },
  { _tag: "upload", commit: 1, failed: [], branch: "main", minutes: 0 }
]

const closings: Array<() => Promise<void>> = []

afterAll(async () => {
  for (const close of closings.toReversed()) await close()
})

const worldOn = async (storage: Storage.Storage): Promise<World> => {
  const runtime = ManagedRuntime.make(Storage.layer(storage))
  closings.push(() => runtime.dispose())
  const world = new World(await runtime.context())
  closings.push(() => world.close())
  return world
}

describe("kept answers", () => {
  it("a kept answer equals one that is made now, on two servers over one memory", async () => {
    const world = await worldOn({ _tag: "Memory" })
    const found = await law(world, { numRuns: 6, examples: [[access]] })
    assert.isFalse(found.failed, `${fc.defaultReportMessage(found)} ${String(found.errorInstance)}`)
    const untagged = keptRoutes.filter(({ path }) => {
      const route = new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}(?:\\?|$)`, "u")
      return !Array.from(world.tagged).some((each) => route.test(each))
    })
    assert.deepStrictEqual(untagged, [], "routes that are declared as kept, and whose use case names no lifetime")
  })

  it("a kept answer equals one that is made now, on two servers over one PostgreSQL", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lazaret-kept-"))
    closings.push(async () => rmSync(folder, { recursive: true, force: true }))
    const found = await law(await worldOn({ _tag: "Embedded", folder }), { numRuns: 1, examples: [[access]] })
    assert.isFalse(found.failed, `${fc.defaultReportMessage(found)} ${String(found.errorInstance)}`)
  })

  it("a server that misses writes is found out", async () => {
    const found = await law(await worldOn({ _tag: "Memory" }), { numRuns: 10, endOnFailure: true }, missesWrites)
    assert.isTrue(found.failed)
  })
})
