import { CauseName } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const named = (rest: Partial<CauseName.Named>): CauseName.Named => {
  const testNames = rest.testNames ?? ["tests/net/a.spec > connects", "tests/net/b.spec > sends"]
  return { isOutage: false, testNames, tests: testNames.length, exception: null, frame: null, ...rest }
}

describe("CauseName", () => {
  it("a name says the type, the place and the tests", () => {
    const exception = { exceptionType: "java.util.concurrent.TimeoutException", message: "no answer after 5 s" }
    assert.strictEqual(
      CauseName.of(named({ exception, frame: "client.connect" })),
      "TimeoutException in `client.connect`, 2 tests of tests/net"
    )
    assert.strictEqual(
      CauseName.of(named({ exception })),
      "TimeoutException: no answer after <*>, 2 tests of tests/net"
    )
  })

  it("reads the type from a message that begins with it", () => {
    const exception = { exceptionType: null, message: "asyncio.exceptions.TimeoutError: Test timeout (30) hit" }
    assert.strictEqual(CauseName.of(named({ exception })), "TimeoutError: Test timeout (<*>) hit, 2 tests of tests/net")
  })

  it("names a single test, an outage, a silent failure and different messages", () => {
    const exception = { exceptionType: null, message: "connect ECONNREFUSED 10.0.0.1:5432" }
    assert.strictEqual(CauseName.of(named({ exception, testNames: ["a > b"] })), "“connect ECONNREFUSED <*>”, `a > b`")
    assert.strictEqual(
      CauseName.of(named({ exception, isOutage: true, testNames: ["a", "b"], tests: 240 })),
      "Outage: “connect ECONNREFUSED <*>”, 240 tests"
    )
    assert.strictEqual(
      CauseName.of(named({ exception: { exceptionType: null, message: null }, testNames: ["x.y.A.b", "x.y.A.c"] })),
      "failure without a message, 2 tests of x.y.A"
    )
    assert.strictEqual(CauseName.of(named({ testNames: ["a/b", "c/d"] })), "different messages, 2 tests")
  })

  it("a fifth of the tests may lie elsewhere", () => {
    const testNames = ["a/b/1", "a/b/2", "a/b/3", "a/b/4", "c/d/5"]
    assert.strictEqual(CauseName.of(named({ testNames })), "different messages, 5 tests of a/b")
  })

  it("a name stays short for any names and messages", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 3000 }), { minLength: 1, maxLength: 5 }),
        fc.option(fc.string({ maxLength: 3000 }), { nil: null }),
        fc.option(fc.string({ maxLength: 3000 }), { nil: null }),
        (testNames, exceptionType, message) => {
          const name = CauseName.of(named({ testNames, exception: { exceptionType, message } }))
          assert.isTrue(name.length <= 500 && name.isWellFormed())
        }
      ),
      { numRuns: 200 }
    )
  })
})
