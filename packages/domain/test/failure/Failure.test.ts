import { Failure, TestId } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const hexadecimal = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String)
const instant = fc.date({ min: new Date(0), max: new Date("2099-12-31"), noInvalidDate: true })
const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }).map((all) => all.join("."))
const port = fc.integer({ min: 1, max: 65_535 })
const pathPart = fc.string({ unit: fc.constantFrom(..."abcXYZ019._-"), minLength: 1, maxLength: 12 })

/** Every kind of volatile part, as texts that must not tell two messages apart. */
const volatile: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "a number": number,
  "a date": instant.map((at) => at.toISOString().slice(0, 10)),
  "a date and time": instant.map((at) => at.toISOString()),
  "a date and time with a space": instant.map((at) => at.toISOString().slice(0, 19).replace("T", " ")),
  "a date and time with an offset": instant.map((at) => at.toISOString().replace("Z", "+02:00")),
  "a time": instant.map((at) => at.toISOString().slice(11, 19)),
  "a date of HTTP": instant.map((at) => at.toUTCString()),
  "a UUID": fc.uuid(),
  "a UUID in upper case": fc.uuid().map((id) => id.toUpperCase()),
  "a hash": hexadecimal(40).filter((text) => /\d/u.test(text)),
  "a short hash": hexadecimal(8).filter((text) => /\d/u.test(text) && /[a-f]/u.test(text)),
  "a pointer": hexadecimal(12).map((text) => `0x${text}`),
  base64: fc.constantFrom(
    "dGVzdA==",
    "aGVsbG8gd29ybGQ=",
    "kq3Vn0Xb7TzLw2Rf",
    "vJ8+Qx/1mZkP0sYt5hNcAg9u",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
    "Vn0_Xb7T-zLw2RfkQ3jH8sD1"
  ),
  "an IPv4 address": octets,
  "an IPv4 address and port": fc.tuple(octets, port).map(([host, at]) => `${host}:${at}`),
  "an IPv6 address": fc.ipV6().filter((text) => !text.includes(".") && /\d/u.test(text) && text.includes("::")),
  "an IPv6 address and port": port.map((at) => `[fe80::1]:${at}`),
  "a port": port.map((at) => `localhost:${at}`),
  "a temporary path": pathPart.map((part) => `/tmp/${part}/file`),
  "a temporary path of macOS": pathPart.map((part) => `/private/var/folders/${part}/T/${part}`),
  "a temporary path of Windows": pathPart.map((part) => `C:\\Users\\ci\\AppData\\Local\\Temp\\${part}`),
  "a duration in milliseconds": fc.nat().map((count) => `${count} ms`),
  "a duration in seconds": fc.nat().map((count) => `${count / 100}s`),
  "a duration of Go": fc.tuple(fc.nat(), fc.nat()).map(([minutes, seconds]) => `${minutes}m${seconds}s`),
  "a duration of Java": fc.nat().map((count) => `PT${count}M${count / 10}S`),
  "an id glued to a word": fc.integer({ min: 10_000 }).map((count) => `user_${count}`)
}

const word = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), minLength: 1, maxLength: 12 })
const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "))

/** Messages in which everything meets everything, glued or not. */
const messages = fc
  .array(
    fc.oneof(
      word,
      ...Object.values(volatile),
      fc.constantFrom(..." \n\t.,:;-+_/=()[]'\"<*>%é\u{1F600}", "<*>", "Foo12", "C:\\", "::", "e+", "=="),
      fc.string({ unit: "binary", maxLength: 4 })
    ),
    { maxLength: 12 }
  )
  .map((parts) => parts.join(""))

describe("Failure.normalise", () => {
  it("Failure.normalise replaces what is volatile and keeps the words", () => {
    const table: ReadonlyArray<readonly [message: string, normalised: string]> = [
      ["timeout after 1200 ms on 127.0.0.1:4180\n  at main", "timeout after <*> on <*>"],
      ["expected 3 to equal -4.5e-3", "expected <*> to equal <*>"],
      ["connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED <*>"],
      ["panic: test timed out after 10m0s", "panic: test timed out after <*>"],
      ["ENOENT: '/tmp/x-1/a.txt', open", "ENOENT: '<*>', open"],
      ["at src/app.ts:12:5", "at src/app.ts:<*>:<*>"],
      ["Object@6d06d69c is locked", "Object@<*> is locked"],
      ["used 1.5GB of 2GB", "used <*>GB of <*>GB"],
      ["bad token dGVzdA==", "bad token <*>"],
      ["\n  first   line\nsecond", "first line"],
      ["", ""]
    ]
    for (const [message, normalised] of table) assert.strictEqual(Failure.normalise(message), normalised)
  })

  it("Failure.normalise keeps words, also those with digits, upper case or an equals sign", () => {
    const kept = [
      "sha256 is not sha224",
      "utf16 is not utf8",
      "Http2Connection refused",
      "Base64Decoder refused",
      "UserV2Service and S3Client and Log4jAppender",
      "user_name=bob --format=json timeout= Timeout=",
      `<pool maxIdleConnTime="" doIoUpAt="">`,
      "I18nUtil and V2Users",
      "[bad] request to [add]",
      "std::bad_alloc",
      "order_17",
      "deadbeef and defaced",
      "src/components/Button3/Index.tsx",
      "A1B2C3D4E5F6G7==",
      "a1b2c3d4e5g6h7=="
    ]
    for (const message of kept) assert.strictEqual(Failure.normalise(message), message)
  })

  for (const [kind, values] of Object.entries(volatile)) {
    it(`Failure.normalise groups messages that differ only in ${kind}`, () => {
      fc.assert(
        fc.property(sentence, sentence, values, values, (before, after, one, other) => {
          const normalised = Failure.normalise(`${before} "${one}" ${after}`)
          assert.strictEqual(normalised, Failure.normalise(`${before} "${other}" ${after}`))
          assert.isTrue(normalised.startsWith(before) && normalised.endsWith(after), normalised)
        }),
        { numRuns: 60 }
      )
    })
  }

  it("Failure.normalise tells messages apart that differ in words, with the same volatile parts", () => {
    fc.assert(
      fc.property(sentence, sentence, fc.oneof(...Object.values(volatile)), (one, other, part) => {
        fc.pre(one !== other)
        assert.notStrictEqual(Failure.normalise(`${one}: ${part}`), Failure.normalise(`${other}: ${part}`))
      })
    )
  })

  it("Failure.normalise changes nothing that is already normalised", () => {
    fc.assert(
      fc.property(messages, (message) => {
        const normalised = Failure.normalise(message)
        assert.strictEqual(Failure.normalise(normalised), normalised)
      }),
      { numRuns: 1000 }
    )
  })

  it("what a placeholder split off is not taken for something else the next time", () => {
    const token = "aB3/cD4/eF5/gH6/iJ7"
    for (const message of [
      `averyverylongwordindeed/12/${token}`,
      `${token}/12/averyverylongwordindeed`,
      "12C:\\Temp\\x"
    ]) {
      const normalised = Failure.normalise(message)
      assert.include(normalised, "<*>")
      assert.strictEqual(Failure.normalise(normalised), normalised)
    }
  })

  it("Failure.normalise changes nothing that is already normalised and as long as can be", () => {
    for (const part of ["1 ", "1-", "a1b ", "aB3cdEfgh-", "x_12345 ", "\u{1F600}", "0", "<*>"]) {
      const normalised = Failure.normalise(part.repeat(3000))
      assert.strictEqual(Failure.normalise(normalised), normalised)
    }
  })

  // A pattern that backtracks more than quadratically needs minutes for one of these and runs into the time-out.
  it("no repeated part makes a pattern backtrack without end", () => {
    const parts = [
      "a",
      "0",
      "/tmp/",
      ":",
      "1s",
      "0:",
      "a:",
      "_",
      "-",
      "=",
      "aB3",
      "[:",
      "C:\\",
      "C:\\a",
      "1.",
      "\n",
      " "
    ]
    for (const part of parts) {
      const message = part.repeat(8192 / part.length)
      assert.strictEqual(Failure.normalise(Failure.normalise(message)), Failure.normalise(message), part)
      assert.isAtMost(Failure.normalise(`${message}!`).length, 3 * message.length)
    }
  })
})

describe("Failure.groupOf", () => {
  const testId = TestId.of("suite > adds")
  const group = (type: string | null, message: string | null, id = testId) =>
    Failure.groupOf(id, { type, message, stacktrace: null })

  it("Failure.groupOf shows the message as it was reported, and groups by the normalised one", () => {
    const one = group("TypeError", "took 5 ms\n  at main")
    assert.strictEqual(one.exceptionMessage, "took 5 ms\n  at main")
    assert.strictEqual(one.id, group("TypeError", "took 6 ms").id)
  })

  it("Failure.groupOf reads a missing or empty type as unknown and a missing message as empty", () => {
    const { id, ...shown } = group(null, null)
    assert.deepStrictEqual(shown, { exceptionType: "unknown", exceptionMessage: "" })
    assert.strictEqual(id, group("", "").id)
    assert.strictEqual(id, group("unknown", null).id)
  })

  it("another test, type or message is another group", () => {
    const ids = [
      group("A", "b"),
      group("A", "c"),
      group("B", "b"),
      group("A", "b", TestId.of("other")),
      group(null, "b"),
      group("A", null)
    ].map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("the id is a version 5 UUID that is the same for ever", () => {
    assert.strictEqual(group("AssertionError", "expected 3 to equal 4").id, "322a922b-27ee-590d-93f1-34f6dab307bd")
  })

  it("any storable message has a group, also one that is cut inside a character", () => {
    assert.match(group("A", `${"a".repeat(1999)}\u{1F600}`).id, /^[0-9a-f-]{36}$/u)
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (message) => {
        assert.match(group("A", message).id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
      })
    )
  })
})

describe("Failure.normalise, words and ids", () => {
  it.each([
    ["aB3-dE4fG5hI6jKl", "<*>"],
    ["aB3-dE4fG5hI6jK", "aB3-<*>"],
    ["aBc-dEfGhIjKlMnO", "aBc-dEfGhIjKlMnO"],
    ["ab3-de4fg5hi6jkl", "ab3-de4fg5hi6jkl"],
    ["aB3dE4==", "<*>"],
    ["aB3dE4=", "aB3dE4="],
    ["deadbee1", "<*>"],
    ["ab12345", "ab<*>"],
    ["x12345", "x<*>"],
    ["x1234", "x1234"],
    ["a1b2c3", "a1b2c3"],
    ["Http2Connection", "Http2Connection"],
    ["aaaBBBccc1", "<*>"]
  ])("an id of mixed or hexadecimal characters is volatile, and a word with few digits stays: %s", (text, normal) => {
    assert.strictEqual(Failure.normalise(`at ${text}`), `at ${normal}`)
  })

  it("the first line with words counts", () => {
    assert.strictEqual(Failure.normalise("\n first \r\nsecond"), "first")
  })
})

describe("Failure.signatureOf", () => {
  it("the signature is that of the type and the normal message, and a failure without both has none", () => {
    const of = (type: string | null, message: string | null) => Failure.signatureOf({ type, message, stacktrace: null })
    assert.isNull(of(null, null))
    assert.isNull(of("", ""))
    assert.isNotNull(of("Error", null))
    assert.isNotNull(of(null, "boom"))
    assert.strictEqual(of(null, "boom"), of("", "boom"))
    assert.strictEqual(of("unknown", "boom"), of(null, "boom"))
    assert.notStrictEqual(of("Error", "boom"), of(null, "boom"))
    assert.notStrictEqual(of("Error", "boom"), of("Error", "bang"))
  })
})
