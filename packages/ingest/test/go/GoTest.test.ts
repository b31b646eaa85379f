import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { failedOf, linesOf, parsed, read, sample } from "../format/summary.ts"

const time = "2026-11-20T10:00:00.5Z"

const event = (Action: string, more: object = {}) => ({ Time: time, Action, Package: "acme/shop", ...more })

const stream = (...events: ReadonlyArray<object>): string => events.map((each) => `${JSON.stringify(each)}\n`).join("")

const test = (Test: string, outcome: string, output = "") => [
  event("run", { Test }),
  ...(output === "" ? [] : [event("output", { Test, Output: output })]),
  event(outcome, { Test, Elapsed: 0.25 })
]

const exceptionOf = (text: string, name: string) =>
  Result.getOrThrow(read(text)).cases.find(({ testName }) => testName === name)?.exception

const real = [
  "example.com/shop/broken.TestMain | failed",
  "example.com/shop/cart.TestRounds | failed",
  "example.com/shop/cart.TestTotals/empty | passed",
  "example.com/shop/cart.TestTotals/two_items | failed",
  "example.com/shop/cart.TestTotals | failed",
  "example.com/shop/cart.TestLater | skipped",
  "example.com/shop/cart.TestFlaky | failed",
  "example.com/shop/cart.TestAdds | passed",
  "example.com/shop/cart.ExampleGreet | passed",
  "example.com/shop/exits.TestExits | failed",
  "example.com/shop/exits.TestFine | passed",
  "example.com/shop/mainfail.TestFine | passed",
  "example.com/shop/mainfail.TestMain | failed",
  "example.com/shop/panics.TestFine | passed",
  "example.com/shop/panics.TestPanics | failed",
  "example.com/shop/slow.TestFine | passed",
  "example.com/shop/slow.TestHangs | failed"
]

describe("go test -json", () => {
  it("the text of go test is refused also when a package in it does not build", () => {
    const broken = "# acme/broken\n./a.go:1: undefined: x\nFAIL\tacme/broken [build failed]\n"
    const printed = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tacme/shop\t0.003s\n"
    for (const text of [broken + printed, printed + broken, `${broken}ok  \tacme/shop\t0.003s\n`]) {
      assert.include(Result.getOrThrow(Result.flip(read(text))).message, "the text output of go test")
    }
    assert.deepStrictEqual(failedOf(Result.getOrThrow(read(broken))), ["acme/broken.TestMain"])
  })

  it("a package that failed in text between the events is a failed case", () => {
    const text = `${stream(...test("TestA", "pass"), event("pass"))}--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tacme/cart\t0.003s\n`
    assert.deepStrictEqual(failedOf(Result.getOrThrow(read(text))), ["acme/cart.TestMain"])
  })

  it("a package that does not build, a panic, a time-out and a failing TestMain are failed cases", () => {
    assert.deepStrictEqual(linesOf(parsed("go/report.ndjson")), real)
  })

  it("with the error output in between, the compiler's words belong to their package", () => {
    const report = parsed("go/mixed.ndjson")
    assert.sameMembers([...linesOf(report)], real)
    const broken = report.cases.find(({ testName }) => testName === "example.com/shop/broken.TestMain")
    assert.strictEqual(broken?.exception?.message, "undefined: missing")
  })

  it("go test -json says what failed: the failure that a test logs last, or the panic", () => {
    const text = sample("go/report.ndjson").toString()
    assert.strictEqual(
      exceptionOf(text, "example.com/shop/cart.TestRounds")?.message,
      "got 0.30000000000000004, want 0.3"
    )
    assert.strictEqual(
      exceptionOf(text, "example.com/shop/panics.TestPanics")?.message,
      "assignment to entry in nil map"
    )
    assert.strictEqual(exceptionOf(text, "example.com/shop/slow.TestHangs")?.message, "test timed out after 3s")
    assert.strictEqual(
      exceptionOf(text, "example.com/shop/mainfail.TestMain")?.message,
      "The package failed, and none of its tests did."
    )
  })

  it("repetitions within one run of a package (-count) are no retries", () => {
    const lines = linesOf(parsed("go/count.ndjson"))
    assert.deepStrictEqual(
      lines.filter((line) => line.includes("TestFlaky")),
      ["example.com/shop/cart.TestFlaky | failed", "example.com/shop/cart.TestFlaky #2 | passed"]
    )
  })

  it("a package that runs again tries its failed tests again (gotestsum --rerun-fails)", () => {
    const first = [...test("TestA", "fail", "    a_test.go:3: not ready\n"), ...test("TestB", "pass"), event("fail")]
    const again = [event("start"), ...test("TestA", "pass"), event("pass")]
    const report = Result.getOrThrow(read(stream(...first, ...again)))
    assert.deepStrictEqual(linesOf(report), ["acme/shop.TestA | passed | flaky | 1 reruns", "acme/shop.TestB | passed"])
    assert.strictEqual(report.cases[0]?.exception?.message, "not ready")
  })

  it("a pass before a failure is not a retry", () => {
    const runs = [...test("TestA", "pass"), event("pass"), ...test("TestA", "fail"), event("fail")]
    assert.deepStrictEqual(linesOf(Result.getOrThrow(read(stream(...runs)))), [
      "acme/shop.TestA | passed",
      "acme/shop.TestA #2 | failed"
    ])
  })

  it("a package that printed its end without an event of its own failed, as before Go 1.12 after a panic", () => {
    const started = [
      event("run", { Test: "TestA" }),
      event("output", { Test: "TestA", Output: "panic: nil pointer\n" })
    ]
    const printed = event("output", { Test: "TestA", Output: "FAIL\tacme/shop\t0.014s\n" })
    const panicked = stream(...started, printed, event("fail", { Test: "TestA", Elapsed: 0.014 }))
    assert.deepStrictEqual(linesOf(Result.getOrThrow(read(panicked))), ["acme/shop.TestA | failed"])
    assert.isTrue(Result.isFailure(read(stream(...started, event("fail", { Test: "TestA", Elapsed: 0.014 })))))
  })

  it("newer versions of go name the build that failed", () => {
    const build = "acme/shop [acme/shop.test]"
    const text = stream(
      { ImportPath: build, Action: "build-output", Output: "# acme/shop [acme/shop.test]\n" },
      { ImportPath: build, Action: "build-output", Output: "./a_test.go:5:9: undefined: missing\n" },
      { ImportPath: build, Action: "build-fail" },
      event("start"),
      event("output", { Output: "FAIL\tacme/shop [build failed]\n" }),
      event("fail", { Elapsed: 0, FailedBuild: build })
    )
    assert.strictEqual(exceptionOf(text, "acme/shop.TestMain")?.message, "undefined: missing")
  })

  it("UTF-16, as PowerShell redirects it, reads like UTF-8", () => {
    const text = `\uFEFF${sample("go/report.ndjson").toString()}`
    const report = Result.getOrThrow(read(text))
    const wide = Buffer.from(text, "utf16le")
    assert.deepStrictEqual(linesOf(Result.getOrThrow(read(wide))), linesOf(report))
  })

  it("a line of incomplete JSON is skipped with a warning that names it", () => {
    const [first = "", ...rest] = stream(...test("TestA", "pass"), event("pass")).split("\n")
    const report = Result.getOrThrow(read([first, '{"Time":"2026', ...rest].join("\n")))
    assert.deepStrictEqual(linesOf(report), ["acme/shop.TestA | passed"])
    assert.match(report.warnings.join(), /the first is line 2/)
  })

  it("a stream without line feeds says what curl needs", () => {
    const text = stream(...test("TestA", "pass"), event("pass")).replaceAll("\n", "")
    assert.match(Result.getOrThrow(Result.flip(read(text))).message, /--data-binary/)
  })

  it.prop(
    "each planted failure is a failed case: of a test, of a test without an end, and of a package",
    [
      Arbitrary.schema(Schema.NonEmptyArray(Schema.Literals(["pass", "fail", "skip", "hangs"]))),
      Arbitrary.schema(Schema.Boolean)
    ],
    ([outcomes, exits]) => {
      const tests = outcomes.flatMap((outcome, index) =>
        test(`Test${index}`, outcome).filter((each) => each.Action !== "hangs")
      )
      const failed = outcomes.flatMap((outcome, index) =>
        outcome === "fail" || outcome === "hangs" ? [`acme/shop.Test${index}`] : []
      )
      const isFailed = failed.length > 0 || exits
      const report = Result.getOrThrow(read(stream(...tests, event(isFailed ? "fail" : "pass"))))
      const expected = failed.length > 0 ? failed : isFailed ? ["acme/shop.TestMain"] : []
      assert.sameMembers([...failedOf(report)], expected)
    }
  )
})
