import { Cause, type CauseFacts, CauseGroups, CausePolicy, Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const start = Date.UTC(2026, 0, 5)

/** A job run of main with failures, each a name, or a name and a signature. */
const run = (
  number: number,
  failed: ReadonlyArray<string | readonly [testName: string, signature: string | null]>,
  rest: Partial<CauseFacts.FailedRun> = {}
): CauseFacts.FailedRun => ({
  key: `run ${String(number).padStart(6, "0")}`,
  at: start + number * Instant.hour,
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  commit: `c${number}`,
  ordinal: 2 * number,
  isOnDefault: true,
  isExcused: false,
  failed: failed.map((each) => {
    const [testName, signature] = typeof each === "string" ? [each, null] : each
    return { testName, signature, frame: null }
  }),
  ...rest
})

const groupsOf = (runs: ReadonlyArray<CauseFacts.FailedRun>) => CauseGroups.of(runs, CausePolicy.defaults)

const namesOf = (runs: ReadonlyArray<CauseFacts.FailedRun>) =>
  groupsOf(runs).map(({ isOutage, tests }) => [isOutage, ...tests.map(({ testName }) => testName)])

const failedTest = fc.record({
  testName: fc.integer({ min: 0, max: 12 }).map((number) => `tests/${number % 3}/file.spec > case ${number}`),
  signature: fc.option(fc.constantFrom("timeout", "refused", "assertion"), { nil: null }),
  frame: fc.option(fc.constantFrom("client.connect", "store.open"), { nil: null })
})

const facts = fc
  .array(
    fc.record({
      branch: fc.constantFrom("main", "topic"),
      isExcused: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
      failed: fc.array(failedTest, { minLength: 1, maxLength: 6 })
    }),
    { maxLength: 30 }
  )
  .map((runs) =>
    runs.map((each, index) => run(index, [], { ...each, ordinal: index, isOnDefault: each.branch === "main" }))
  )

describe("CauseGroups", () => {
  it("tests that fail together have one cause, and one that fails at other times does not", () => {
    const together = [1, 5, 9, 14, 20].map((number) => run(number, ["net > a", "net > b", "store > c"]))
    const alone = [2, 7, 11, 17].map((number) => run(number, ["net > d"]))
    assert.deepStrictEqual(namesOf([...together, ...alone]), [
      [false, "net > a", "net > b", "store > c"],
      [false, "net > d"]
    ])
  })

  it("a message that unrelated tests use as well joins no tests", () => {
    const runs = Array.from({ length: 24 }, (_, index) =>
      run(index, [[`area${index % 8} > case`, "timed out waiting"]])
    )
    assert.strictEqual(groupsOf(runs).length, 8)
  })

  it("one message in one file joins tests that failed together once", () => {
    const near = [
      run(1, [
        ["net/a > x", "refused"],
        ["net/a > y", "refused"],
        ["ui/b > z", "assertion"]
      ])
    ]
    assert.deepStrictEqual(namesOf([...near, run(5, [["core/c > w", "other"]])])[1], [false, "net/a > x", "net/a > y"])
  })

  it("a row of failures counts once: two tests that were broken at the same time by chance stay strangers", () => {
    const row = (from: number, count: number, name: string) =>
      Array.from({ length: count }, (_, index) => [from + index, name] as const)
    const flakes = [100, 120, 140, 160].map((number) => [number, "net > a"] as const)
    const others = [110, 130, 150, 170].map((number) => [number, "ui > b"] as const)
    const failures = [...row(0, 20, "net > a"), ...row(5, 20, "ui > b"), ...flakes, ...others]
    const runs = [...Map.groupBy(failures, ([number]) => number)].map(([number, list]) =>
      run(
        number,
        list.map(([, name]) => name),
        { ordinal: number }
      )
    )
    assert.strictEqual(groupsOf(runs).length, 2)
  })

  it("excused outages with one message are one cause of their own, and join no tests", () => {
    const outage = (number: number) =>
      run(
        number,
        [
          ["a", "refused"],
          ["b", "refused"],
          ["c", "other"]
        ],
        { isExcused: true }
      )
    const runs = [outage(1), outage(2), outage(60), run(30, ["a"]), run(40, ["b"])]
    assert.deepStrictEqual(namesOf(runs), [
      [false, "a"],
      [false, "b"],
      [true, "a", "b", "c"],
      [true, "a", "b", "c"]
    ])
    assert.deepStrictEqual(
      groupsOf(runs).map((group) => group.runs.length),
      [1, 1, 2, 1]
    )
  })

  it("the order of runs and failures, and what is given twice, play no part", () => {
    fc.assert(
      fc.property(facts, fc.infiniteStream(fc.nat()), (runs, draws) => {
        const shuffled = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> =>
          list
            .map((each) => [draws.next().value as number, each] as const)
            .sort(([a], [b]) => a - b)
            .map(([, each]) => each)
        const other = shuffled([...runs, ...runs.slice(0, 5)]).map((each) => ({
          ...each,
          failed: shuffled([...each.failed, ...each.failed.slice(0, 2)])
        }))
        assert.deepStrictEqual(groupsOf(other), groupsOf(runs))
      }),
      { numRuns: 100 }
    )
  })

  it("each test is in one group without an outage, if it failed outside of excused ones", () => {
    fc.assert(
      fc.property(facts, (runs) => {
        const members = groupsOf(runs)
          .filter(({ isOutage }) => !isOutage)
          .flatMap(({ tests }) => tests.map(({ testName }) => testName))
        const failed = runs.filter(({ isExcused }) => !isExcused).flatMap((each) => each.failed)
        assert.deepStrictEqual(members.toSorted(), [...new Set(failed.map(({ testName }) => testName))].toSorted())
      }),
      { numRuns: 100 }
    )
  })

  it("groups do not depend on the names of tests, runs and branches beyond their nearness", () => {
    fc.assert(
      fc.property(facts, (runs) => {
        const renamed = runs.map((each) => ({
          ...each,
          key: `other ${each.key}`,
          branch: `other ${each.branch}`,
          failed: each.failed.map((failed) => ({ ...failed, testName: `other/${failed.testName}` }))
        }))
        const plain = namesOf(renamed).map(([isOutage, ...names]) => [
          isOutage,
          ...names.map((name) => String(name).replace("other/", ""))
        ])
        assert.deepStrictEqual(plain, namesOf(runs))
      }),
      { numRuns: 50 }
    )
  })

  it("50,000 tests that fail in one job run, each with its own message, are one cause within bounds", () => {
    const names = Array.from(
      { length: 50_000 },
      (_, index) => [`tests/${index % 97}/case ${index}`, `m ${index}`] as const
    )
    const groups = groupsOf([run(1, names), run(2, names.slice(0, 3))])
    assert.isBelow(groups.length, 5)
    const [largest] = groups.toSorted((a, b) => b.tests.length - a.tests.length)
    const known = largest === undefined ? undefined : Cause.known(largest, new Map(), start)
    assert.strictEqual(known?.testCount, 49_997)
    assert.strictEqual(known?.tests.length, Cause.mostTests)
  })

  it("more different tests than are compared stay alone, those with most failures are compared", () => {
    const policy = { ...CausePolicy.defaults, items: 2 }
    const runs = [
      ...[1, 4, 7, 10].map((number) => run(number, ["a", "b"])),
      run(20, ["a"]),
      run(30, ["c"]),
      run(33, ["c", "d"])
    ]
    const names = CauseGroups.of(runs, policy).map(({ tests }) => tests.map(({ testName }) => testName))
    assert.deepStrictEqual(names, [["a", "b"], ["c"], ["d"]])
  })

  it("names of 10,000 characters are read at their beginning", () => {
    const long = (end: string) => `${"x/".repeat(4990)}${end}`
    const runs = [1, 4, 8].map((number) => run(number, [long("a"), long("b")]))
    const known = groupsOf(runs).map((group) => Cause.known(group, new Map(), start))
    assert.strictEqual(known.length, 1)
    assert.isBelow(known[0]?.name.length ?? Infinity, 200)
  })
})
