import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, Preflight, Readiness } from "@lazaret/queue"

const configuration = { ...EngineConfiguration.defaults, requiredChecks: ["unit"] }
const own = { kind: "required_check", name: "lazaret/queue", isOurs: true } as const
const queue = { kind: "merge_queue", timeout: Instant.hour } as const

/** The levels of the findings about each rule. */
const levels = (...rules: ReadonlyArray<Preflight.BranchRule>) =>
  Preflight.check(rules, configuration).map(({ level, rule }) => `${level} ${rule}`)

describe("findings about the connection", () => {
  it("what a gate needs and does not have is a warning with what to do", () => {
    const of = (state: "ok" | "missing" | "unverified", isNeeded: boolean) =>
      Preflight.ofSteps([
        Readiness.step("permission contents: write", state, "It is missing.", { action: "Grant it.", isNeeded })
      ])
    const warning = {
      level: "warning",
      rule: "permission contents: write",
      message: "It is missing. Grant it."
    } as const
    assert.deepStrictEqual(of("missing", true), [warning])
    assert.deepStrictEqual([...of("missing", false), ...of("ok", true), ...of("unverified", true)], [])
  })
})

describe("Preflight", () => {
  it("a gate can act where its own check is the only required one, and the branch has a queue", () => {
    assert.deepStrictEqual(levels(own, queue), ["fine lazaret/queue", "fine merge queue"])
    assert.isFalse(Preflight.isImpossible(Preflight.check([own, queue], configuration)))
  })

  it("a gate cannot act where its check is not required, without a queue, or together with another required check", () => {
    assert.deepStrictEqual(levels(queue), ["impossible lazaret/queue", "fine merge queue"])
    assert.deepStrictEqual(levels(own), ["impossible merge queue", "fine lazaret/queue"])
    const foreign = { kind: "required_check", name: "unit", isOurs: true } as const
    assert.deepStrictEqual(levels(own, queue, foreign)[0], "impossible unit")
    assert.isTrue(Preflight.isImpossible(Preflight.check([own, queue, foreign], configuration)))
  })

  it("only a foreign check that the gate does not read has to be added to the required ones", () => {
    const messages = ["unit", "lint"].map((name) => {
      const [finding] = Preflight.check([own, queue, { kind: "required_check", name, isOurs: false }], configuration)
      return finding?.message.includes("add it to required_checks")
    })
    assert.deepStrictEqual(messages, [false, true])
  })

  it("people may look at a check that anybody can set, timeouts that differ, and rules that have no effect", () => {
    assert.deepStrictEqual(levels({ ...own, isOurs: false }, queue), ["warning lazaret/queue", "fine merge queue"])
    assert.deepStrictEqual(levels(own, { ...queue, timeout: 1 }), ["warning merge queue", "fine lazaret/queue"])
    assert.deepStrictEqual(levels(own, queue, { kind: "other", name: "linear" }).at(-1), "fine linear")
  })

  it("a queue that waits for several green groups, or passes one whose successor passes, is a warning", () => {
    for (const [rule, count] of [
      [{ grouping: "head_green" }, 1],
      [{ grouping: "all_green" }, 0],
      [{ minimum: 2 }, 1],
      [{ minimum: 1 }, 0]
    ] as const) {
      const found = levels(own, { ...queue, ...rule }).filter((each) => each.startsWith("warning"))
      assert.lengthOf(found, count, JSON.stringify(rule))
    }
  })

  it("the jobs of the required checks are findings, and a check without one is a warning", () => {
    const jobs = [{ pipelineName: "CI", jobName: "unit" }]
    const matches = [
      { check: "unit", jobs, by: "name" },
      { check: "lint", jobs: [], by: null }
    ] as const
    const found = Preflight.check([own, queue], configuration, matches)
    assert.deepStrictEqual(
      found.map(({ level, rule }) => `${level} ${rule}`),
      ["warning lint", "fine unit", "fine lazaret/queue", "fine merge queue"]
    )
  })
})
