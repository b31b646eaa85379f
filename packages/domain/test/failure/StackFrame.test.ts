import { StackFrame } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const placeOf = (stacktrace: string | null, test: Partial<StackFrame.FailedTest> = {}) =>
  StackFrame.placeOf({ type: null, message: null, stacktrace }, { testName: "a > b", filepath: null, ...test })

const traces: ReadonlyArray<readonly [language: string, trace: string, place: string | null]> = [
  [
    "JavaScript",
    `TimeoutError: no answer
    at listOnTimeout (node:internal/timers:573:17)
    at retry (/ci/app/node_modules/retry/index.js:3:9)
    at async Client.connect (file:///ci/app/net/client.ts:40:9)
    at /ci/app/net/cart.test.ts:9:3`,
    "net/client.ts:Client.connect"
  ],
  ["JavaScript without a function", "Error: no\n    at /ci/app/net/client.ts:40:9", "net/client.ts"],
  ["Vitest", "Error: no\n ❯ connect net/client.ts:40:9\n ❯ net/cart.test.ts:9:3", "net/client.ts:connect"],
  [
    "the JVM",
    `java.net.SocketTimeoutException: no answer
\tat java.base/java.net.Socket.connect(Socket.java:648)
\tat app//com.acme.net.Client.lambda$connect$3(Client.java:40)
\tat com.acme.CartTest.adds(CartTest.java:12)
\tat org.junit.runner.Runner.run(Runner.java:1)`,
    "net.Client.lambda$connect"
  ],
  [
    ".NET",
    `System.TimeoutException : no answer
   at System.Net.Sockets.Socket.Connect() in /src/System/Socket.cs:line 3
   at Acme.Net.Client.Connect(String host) in C:\\ci\\Net\\Client.cs:line 40`,
    "Net/Client.cs:Acme.Net.Client.Connect"
  ],
  [
    "Python",
    `Traceback (most recent call last):
  File "/ci/app/tests/test_cart.py", line 9, in test_adds
  File "/ci/app/net/client.py", line 40, in connect
  File "/usr/lib/python3.12/socket.py", line 3, in create_connection
TimeoutError: no answer`,
    "net/client.py:connect"
  ],
  [
    "pytest",
    "tests/test_cart.py:9: in test_adds\nnet/client.py:40: in connect\nE   TimeoutError",
    "net/client.py:connect"
  ],
  [
    "Go",
    `panic: no answer
goroutine 7 [running]:
testing.tRunner.func1.2({0x1, 0x2})
\t/usr/local/go/src/testing/testing.go:1631 +0x24a
github.com/acme/shop/net.(*Client).Connect.func1(0xc0)
\t/ci/shop/net/client.go:40 +0x1d`,
    "net/client.go:net.(*Client).Connect"
  ],
  ["Ruby", "net/client.rb:40:in `connect'\n/gems/rspec/lib/a.rb:3:in `run'", "net/client.rb:connect"],
  [
    "PHP",
    "#0 /ci/vendor/phpunit/A.php(3): run()\n#1 /ci/net/Client.php(40): Client->connect()",
    "net/Client.php:Client->connect"
  ],
  [
    "Rust",
    `   2: core::panicking::panic
             at /rustc/1/library/core/src/panicking.rs:3:5
   3: shop::net::connect
             at ./src/net.rs:40:5`,
    "src/net.rs:shop::net::connect"
  ],
  ["text without frames", "no answer after 5 s at 12:30:11", null]
]

describe("StackFrame.placeOf", () => {
  for (const [language, trace, place] of traces) {
    it(`the innermost frame of own code is found in ${language}`, () => {
      assert.strictEqual(placeOf(trace, { testName: "com.acme.CartTest.adds", filepath: "net/cart.test.ts" }), place)
    })
  }

  it("frames of the test itself are passed over", () => {
    const trace = "Error: no\n    at sorts (/ci/app/net/cart.test.ts:9:3)"
    assert.strictEqual(placeOf(trace, { filepath: "net/cart.test.ts" }), null)
    assert.strictEqual(placeOf(trace, { testName: "net/cart.test.ts > sorts" }), null)
    assert.strictEqual(
      placeOf('  File "/ci/tests/test_cart.py", line 9, in test_x', { testName: "tests.test_cart.test_x" }),
      null
    )
    assert.strictEqual(placeOf(null), null)
  })

  it("a frame without a file is of the test when its class is", () => {
    const place = (frame: string, testName: string) =>
      placeOf(`java.lang.Error: no\n\tat ${frame}(Unknown Source)`, { testName })
    assert.strictEqual(place("com.acme.CartTest.adds", "com.acme.CartTest > adds"), null)
    assert.strictEqual(place("adds", "CartTest"), null, "a function without a class")
    assert.strictEqual(place("com.acme.CartTest.adds", "om.acme.CartTest > adds"), "acme.CartTest.adds")
  })

  it("of a long trace the start and the end are read", () => {
    const most = StackFrame.bounds.trace
    const frame = "    at connect (/ci/app/net/client.ts:40:9)\n"
    const at = (before: number, after: number) =>
      placeOf(`${"x ".repeat(before / 2)}\n${frame}${"x ".repeat(after / 2)}`) !== null
    assert.isTrue(at(0, 3 * most))
    assert.isTrue(at(3 * most, 0))
    assert.isFalse(at(1.2 * most, 1.2 * most))
    assert.isTrue(at(0.9 * most, 0.9 * most))
  })

  it("of several frames of own code the innermost is the first in JavaScript, and the last in Python", () => {
    const script = "Error: no\n    at connect (/ci/net/client.ts:4:9)\n    at retry (/ci/net/retry.ts:5:1)"
    assert.strictEqual(placeOf(script), "net/client.ts:connect")
    const python = '  File "/ci/net/retry.py", line 9, in retry\n  File "/ci/net/client.py", line 40, in connect'
    assert.strictEqual(placeOf(python), "net/client.py:connect")
  })

  it("of a long trace the first characters are read", () => {
    const trace = `net/client.rb:40:in \`connect'\n${"x ".repeat(StackFrame.bounds.trace)}`
    assert.strictEqual(placeOf(trace), "net/client.rb:connect")
  })

  it("a frame of a file that the path of the test ends with is of the test", () => {
    const trace = "Error: no\n    at sorts (cart.test.ts:9:3)"
    assert.isNull(placeOf(trace, { filepath: "net/cart.test.ts" }))
    assert.isNotNull(placeOf(trace, { filepath: "cart.test.ts/net" }))
  })

  it("lines, columns and the folder of the checkout play no part", () => {
    const trace = (folder: string, line: number) =>
      `Error: no\n    at connect (${folder}/net/client.ts:${line}:${line})`
    assert.strictEqual(placeOf(trace("/ci/app", 3)), placeOf(trace("C:\\work", 90)))
  })

  it("a place is short, whatever the trace is", () => {
    const line = fc.constantFrom(...traces.flatMap(([, trace]) => trace.split("\n")))
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2000 }),
      fc.array(line).map((lines) => lines.join("\n"))
    )
    fc.assert(
      fc.property(text, (trace) => {
        const place = placeOf(trace)
        assert.isTrue(place === null || (place.length <= StackFrame.bounds.place && place.isWellFormed()))
        assert.strictEqual(placeOf(trace), place)
      })
    )
  })
})
