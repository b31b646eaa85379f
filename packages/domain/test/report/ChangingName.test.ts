import { ChangingName } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** A part of a name that differs in each run, by its number. */
const parts: Readonly<Record<string, (run: number) => string>> = {
  uuid: (run) => `0b7a6f1e-9c1d-4e57-8b1a-${String(run).padStart(12, "0")}`,
  time: (run) => `2026-01-31T12:00:${String(run % 60).padStart(2, "0")}.${String(run).padStart(3, "0")}Z`,
  pointer: (run) => `0x7f${(run + 4096).toString(16)}`,
  epoch: (run) => String(1_760_000_000 + run),
  millis: (run) => String(1_760_000_000_000 + run),
  port: (run) => `127.0.0.1:${40_000 + (run % 20_000)}`,
  folder: (run) => `/tmp/pytest-of-ci/pytest-${run}/test_saves0`,
  hash: (run) => `9f86d081884c7d65${run.toString(16).padStart(8, "0")}`
}

const part = Schema.Literals(Object.keys(parts))
const run = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 }))
const stable = [
  "adds 2 to 40",
  "reads 2026-01-31",
  "rounds 12:30",
  "t[1]",
  "sha256",
  "10.0.0.1",
  "renders v1.2.3",
  "user 42"
]

const once = (testName: string) => ({ testName, executionsCount: 1 })

describe("names that change", () => {
  it.prop("a name with a changing part has the same mask in each run", [part, run, run], ([kind, one, other]) => {
    const name = (each: number) => `cart › takes ${parts[kind]?.(each)} of it`
    assert.strictEqual(ChangingName.mask(name(one)), "cart › takes <*> of it")
    assert.strictEqual(ChangingName.mask(name(other)), ChangingName.mask(name(one)))
  })

  it.prop("the mask of a mask is null, for any text", [Schema.String, part, run], ([text, kind, each]) => {
    const masked = ChangingName.mask(`${text} ${parts[kind]?.(each)}`)
    if (masked !== null) assert.isNull(ChangingName.mask(masked))
  })

  it.each([
    "/tmp/a1",
    "/private/var/folders/x1",
    "2026-01-31T12:30",
    "2026-01-31_1230",
    "2026-01-31 12.30.05,5",
    "localhost:80",
    "[::1]:8080",
    "0x12ab",
    "0X12AB",
    "1700000000",
    "0123456789abcdef",
    "0B7A6F1E-9C1D-4E57-8B1A-000000000000"
  ])("%s changes, alone and after other text", (text) => {
    assert.strictEqual(ChangingName.mask(text), "<*>")
    assert.strictEqual(ChangingName.mask(`(${text}) 1`), "(<*>) 1")
  })

  it.each(stable)("%s is a stable name", (name) => {
    assert.isNull(ChangingName.mask(name))
  })

  it.prop(
    "a report whose names all changed since the run before is found, and one with the same names is not",
    [part, run],
    ([kind, each]) => {
      const names = (at: number) => [`takes ${parts[kind]?.(at)}`, "adds 2"]
      const before = names(each).map(once)
      const after = names(each + 1)
      const expected = [{ mask: "takes <*>", names: after.slice(0, 1), gone: 1 }]
      assert.deepStrictEqual(ChangingName.changes(after, before), expected)
      assert.deepStrictEqual(ChangingName.changes(after, [...before, ...after.map(once)]), expected, "recorded already")
      assert.deepStrictEqual(ChangingName.changes(names(each), before), [])
    }
  )

  it("tests that are added, removed, or ran often before change nothing", () => {
    const [a, b] = ["takes 0x1000", "takes 0x2000"]
    assert.deepStrictEqual(ChangingName.changes([a, b], [once(a)]), [])
    assert.deepStrictEqual(ChangingName.changes([a], [once(a), { testName: b, executionsCount: 9 }]), [])
    assert.deepStrictEqual(ChangingName.changes([b], [{ testName: a, executionsCount: 9 }]), [])
  })
})
