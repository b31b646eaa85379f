import { assert, describe, it } from "@effect/vitest"
import { Access, Api, Authentication, Operation } from "@lazaret/api"
import type { Credential } from "@lazaret/domain"
import { Context, Option } from "effect"
import { HttpApi, HttpApiEndpoint } from "effect/http-api"

const endpoint = HttpApiEndpoint.get("read", "/read")

const demanding = endpoint.pipe(Operation.demands(Access.anyCredential("read")))

const open = endpoint.pipe(Operation.isPublic)

const about = { description: "a group" }

describe("Operation", () => {
  it("a guarded group accepts an operation that demands a credential and authenticates its requests", () => {
    const { read } = Operation.guarded("some", about, demanding).endpoints
    assert.deepStrictEqual(
      Context.getOption(read.annotations, Access.Access),
      Option.some<"public" | Credential.Demand>({
        kinds: ["admin", "ci", "platform"],
        permission: "read",
        role: "viewer"
      })
    )
    assert.isTrue(read.middlewares.has(Authentication))
  })

  it("an endpoint without a declared access does not compile in a group", () => {
    // @ts-expect-error The endpoint declares no access.
    const guarded = Operation.guarded("some", about, endpoint)
    // @ts-expect-error The endpoint declares no access.
    const public_ = Operation.open("some", about, endpoint)
    assert.deepStrictEqual([guarded.identifier, public_.identifier], ["some", "some"])
  })

  it("an endpoint with the access of the other kind of group does not compile in a group", () => {
    // @ts-expect-error A public operation does not belong in a guarded group.
    const guarded = Operation.guarded("some", about, open)
    // @ts-expect-error An operation that demands a credential does not belong in an open group.
    const public_ = Operation.open("some", about, demanding)
    assert.deepStrictEqual([guarded.identifier, public_.identifier], ["some", "some"])
  })

  it("documentation keeps the declared access", () => {
    const documented = demanding.pipe(Operation.documented({ summary: "read" }))
    assert.strictEqual(Operation.guarded("some", about, documented).endpoints.read.identifier, "read")
  })

  it("every endpoint of the API declares its access, and authenticates exactly when it demands a credential", () => {
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint: each }) => {
        const access = Context.getOrElse(each.annotations, Access.Access, () => null)
        assert.isNotNull(access, each.identifier)
        assert.strictEqual(each.middlewares.has(Authentication), access !== "public", each.identifier)
      }
    })
  })
})
