import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineSettings, QueueConfiguration } from "@lazaret/queue"
import { Result } from "effect"

const settingsOf = (text: string) => Result.getOrThrow(QueueConfiguration.parseAll(text)).engine

const faultsOf = (text: string) =>
  Result.getOrThrow(Result.flip(QueueConfiguration.parse(text))).map(
    ({ line, message, path }) => `${line} ${path} ${message}`
  )

describe("the map merge_queue of the configuration file", () => {
  it("a file without the map mirrors the queue of the default branch", () => {
    for (const text of ["", "queue_rules: []", "merge_queue:", "merge_queue: {}"]) {
      assert.deepStrictEqual(settingsOf(text), EngineSettings.defaults, text)
    }
    assert.isTrue(EngineSettings.concerns(EngineSettings.defaults, "main", "main"))
    assert.isFalse(EngineSettings.concerns(EngineSettings.defaults, "release", "main"))
  })

  it("a gate starts in the shadow, and what is written replaces the defaults field by field", () => {
    const text = [
      "merge_queue:",
      "  mode: gate",
      "  branches: [main, release/*]",
      "  required_checks:",
      "    - unit",
      "    - e2e (chromium)",
      "  response_timeout: 30m",
      "  rerun: {per_round: 1}",
      "  incident: {within: 10 minutes}"
    ].join("\n")
    const settings = settingsOf(text)
    assert.deepStrictEqual(settings, {
      ...EngineSettings.defaults,
      mode: "gate",
      branches: ["main", "release/*"],
      requiredChecks: ["unit", "e2e (chromium)"],
      responseTimeout: 30 * Instant.minute,
      rerun: { ...EngineSettings.defaults.rerun, perRound: 1 },
      incident: { ...EngineSettings.defaults.incident, within: 10 * Instant.minute }
    })
    assert.isTrue(settings.shadow)
    assert.isTrue(EngineSettings.concerns(settings, "release/2", "main"))
    const { branch, mode } = EngineSettings.configurationOf(settings, [], "release/2")
    assert.deepStrictEqual([branch, mode], ["release/2", "gate"])
  })

  it("a wrong value is refused at its line, with what is expected", () => {
    const text = [
      "merge_queue:",
      "  mode: automatic",
      "  required_checks: unit",
      "  response_timeout: 10s",
      "  rerun:",
      "    per_round: 99",
      "    perround: 1",
      "  incident: 3"
    ].join("\n")
    assert.deepStrictEqual(faultsOf(text), [
      "2 merge_queue.mode must be off, mirror, gate or drive",
      "3 merge_queue.required_checks must be a list of at most 100 names of checks (1 to 255 characters each)",
      "4 merge_queue.response_timeout must be a duration from 1 minute to 6 hours",
      "6 merge_queue.rerun.per_round must be a whole number from 0 to 10",
      "7 merge_queue.rerun.perround is not a known key; did you mean per_round?",
      "8 merge_queue.incident must be a map"
    ])
  })

  it("freezes are read one by one, and one that is incomplete or ends before it begins is refused at its place", () => {
    const text = (freezes: string) => `merge_queue:\n  mode: drive\n  required_checks: [unit]\n  freezes: ${freezes}`
    const from = `from: "2026-12-24T18:00:00+01:00", to: "2026-12-25T00:00Z"`
    const known = { from: Date.UTC(2026, 11, 24, 17), to: Date.UTC(2026, 11, 25), reason: "holidays" }
    assert.deepStrictEqual(settingsOf(text(`[{${from}, reason: holidays}]`)).freezes, [
      { ...known, exceptPriority: null }
    ])
    const urgent = settingsOf(text(`[{${from}, reason: holidays, except_priority: high}]`)).freezes
    assert.deepStrictEqual(urgent, [{ ...known, exceptPriority: 3000 }])
    assert.deepStrictEqual(settingsOf(text("")).freezes, [])
    const needs = "needs from, a later to, and a reason"
    assert.deepStrictEqual(faultsOf(text("soon")), ["4 merge_queue.freezes must be a list of at most 60 freezes"])
    assert.deepStrictEqual(faultsOf(text(`[{${from}}]`)), [`4 merge_queue.freezes[0] ${needs}`])
    const turned = `{from: "2026-12-25T00:00:00Z", to: "2026-12-24T00:00:00Z", reason: x}`
    assert.deepStrictEqual(faultsOf(text(`[${turned}]`)), [`4 merge_queue.freezes[0] ${needs}`])
    const expected = "must be an instant such as 2026-12-24T18:00:00Z"
    for (const wrong of ["2026-12-24", "2026-13-24T00:00:00Z", "tomorrow"]) {
      const freeze = `[{from: "${wrong}", to: "2026-12-25T00:00:00Z", reason: x}]`
      assert.deepStrictEqual(faultsOf(text(freeze)), [`4 merge_queue.freezes[0].from ${expected}`], wrong)
    }
    const gate = text("[]").replace("drive", "gate")
    assert.deepStrictEqual(faultsOf(gate), ["4 merge_queue.freezes acts in mode drive alone; the mode is gate"])
    assert.deepStrictEqual(faultsOf(gate.replace(/ {2}freezes.*/u, "  blocking_labels: [on hold]")), [
      "4 merge_queue.blocking_labels acts in mode drive alone; the mode is gate"
    ])
  })

  it("a gate without the names of checks that must pass is refused, so that nothing passes by default", () => {
    for (const checks of ["", "  required_checks: []", "  required_checks: [lazaret/queue]"]) {
      assert.match(faultsOf(`merge_queue:\n  mode: gate\n${checks}`).join(), /required_checks is missing/u)
    }
  })

  it("each number and duration is taken at both ends of its range, and refused beyond them", () => {
    const ends: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
      ["missing_after: ?", ["1m", "6h"], ["59s", "21601s"]],
      ["response_timeout: ?", ["60s", "360m"], ["59s", "21601s"]],
      ["rerun: {per_round: ?}", ["0", "10"], ["-1", "11"]],
      ["rerun: {per_pull_request: ?}", ["0", "20"], ["-1", "21"]],
      ["rerun: {share_of_rounds: ?}", ["0", "1"], ["-0.1", "1.1"]],
      ["incident: {rounds: ?}", ["2", "20"], ["1", "21"]],
      ["incident: {within: ?}", ["1m", "1d"], ["59s", "86401s"]],
      ["incident: {longest: ?}", ["1m", "1d"], ["59s", "86401s"]],
      ["label: ?", ["x", "x".repeat(50)], ['""', "x".repeat(51)]],
      ["required_checks: [?]", ["x", "x".repeat(255)], ['""', "x".repeat(256)]]
    ]
    const isTaken = (key: string, value: string) =>
      Result.isSuccess(QueueConfiguration.parseAll(`merge_queue:\n  ${key.replace("?", value)}`))
    assert.isFalse(isTaken("response_timeout: ?", "3600"), "a number without a unit")
    for (const [key, taken, refused] of ends) {
      assert.deepStrictEqual(
        [...taken, ...refused].map((value) => isTaken(key, value)),
        [true, true, false, false],
        key
      )
    }
  })
})
