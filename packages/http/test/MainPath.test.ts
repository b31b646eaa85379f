import { assert, describe, it } from "@effect/vitest"
import { serve } from "./wire.ts"

const junit = `<testsuite>
  <testcase classname="cart" name="adds" time="0.5"/>
  <testcase classname="cart" name="pays" time="1"><failure message="no money" type="Error">at pay</failure></testcase>
</testsuite>`

const repository = "/v1/ci/acme/repositories/widgets"

describe("the main path", () => {
  it("a report goes in, and a verdict comes out", async () => {
    await using server = await serve()
    const upload = await server.send(`${repository}/reports?pipeline_name=CI&job_name=unit&commit=abc`, {
      method: "POST",
      headers: { "content-type": "application/xml" },
      body: junit
    })
    assert.strictEqual(upload.status, 201)
    const { tests } = await server.json(`${repository}/search/tests?health_status=broken`)
    assert.deepStrictEqual(
      tests.map((test: { readonly test_name: string }) => test.test_name),
      ["cart.pays"]
    )
    const details = await server.json(`${repository}/tests/${tests[0].test_id}`)
    assert.strictEqual(details.first_failure_commit, "abc")
  })
})
