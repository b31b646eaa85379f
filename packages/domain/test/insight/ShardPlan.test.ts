import { ShardPlan, ShardWeight } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const units = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }).chain((numbers) =>
  fc.tuple(
    ...numbers.map((number) =>
      fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 900, noNaN: true })).map((seconds) => ({
        name: `tests/file_${number}.py`,
        seconds
      }))
    )
  )
)

const total = fc.integer({ min: 1, max: 12 })

const namesOf = (shards: ReadonlyArray<ShardPlan.Shard>) => shards.flatMap(({ names }) => names)

const sorted = (names: ReadonlyArray<string>) => [...names].sort()

describe("ShardPlan", () => {
  it("every unit is in exactly one shard, and no shard is outside of the total", () => {
    fc.assert(
      fc.property(units, total, (all, count) => {
        const plan = ShardPlan.assign(all, count)
        const shards = ShardPlan.ofCount(all, plan, count)
        assert.strictEqual(shards.length, count)
        assert.deepStrictEqual(sorted(namesOf(shards)), sorted(all.map(({ name }) => name)))
        assert.isTrue([...plan.values()].every((shard) => shard >= 0 && shard < count))
      }),
      { numRuns: 150 }
    )
  })

  it("the order in which units are listed changes nothing, and a name that is listed twice counts once", () => {
    fc.assert(
      fc.property(units, total, fc.integer(), (all, count, seed) => {
        const shuffled = all
          .map((unit, index) => [Math.imul(index + 1, seed | 1) >>> 0, unit] as const)
          .sort(([a], [b]) => a - b)
          .map(([, unit]) => unit)
        const plan = ShardPlan.assign(all, count)
        assert.deepStrictEqual(new Map(ShardPlan.assign([...shuffled, ...all], count)), new Map(plan))
      }),
      { numRuns: 100 }
    )
  })

  it("the longest shard is at most 4/3 of what any plan must take", () => {
    fc.assert(
      fc.property(units, total, (all, count) => {
        const ordered = all.map(({ seconds }) => seconds).sort((a, b) => b - a)
        // Of the first `count + 1` units two are on one shard.
        const pair = ordered.length > count ? (ordered[count - 1] ?? 0) + (ordered[count] ?? 0) : 0
        const { byTime, longest, mean } = ShardPlan.gain(all, ShardPlan.assign(all, count), count)
        const least = Math.max(mean, longest?.seconds ?? 0, pair)
        assert.isAtMost(byTime, (4 / 3 + 1e-9) * least + mean * 1e-9)
      }),
      { numRuns: 200 }
    )
  })

  it("units of no duration are spread by their number", () => {
    const none = Array.from({ length: 9 }, (_, index) => ({ name: `${index}`, seconds: 0 }))
    const sizes = ShardPlan.ofCount(none, ShardPlan.assign(none, 4), 4).map(({ names }) => names.length)
    assert.deepStrictEqual(sizes, [3, 2, 2, 2])
  })

  it("a new test moves no other one when there is a plan from before and room for it", () => {
    const all = Array.from({ length: 200 }, (_, index) => ({ name: `t${index}`, seconds: 1 + ((index * 37) % 50) }))
    const before = ShardPlan.assign(all, 8)
    const after = ShardPlan.assign([...all, { name: "new", seconds: 4 }], 8, before)
    assert.deepStrictEqual([...after].filter(([name]) => name !== "new").sort(), [...before].sort())
    assert.isDefined(after.get("new"))
    const moved = [...ShardPlan.assign([...all, { name: "new", seconds: 4 }], 8)].filter(
      ([name, shard]) => name !== "new" && before.get(name) !== shard
    )
    assert.isAbove(moved.length, 0, "without the plan from before some move")
  })

  it("a plan from before never makes the longest shard more than a hundredth longer", () => {
    fc.assert(
      fc.property(units, units, total, (all, earlier, count) => {
        const before = ShardPlan.assign(earlier, 12)
        const kept = ShardPlan.longestOf(all, ShardPlan.assign(all, count, before), count)
        const greedy = ShardPlan.longestOf(all, ShardPlan.assign(all, count), count)
        assert.isAtMost(kept, greedy * (1 + ShardPlan.tolerance) + 1e-9)
      }),
      { numRuns: 100 }
    )
  })

  it("the gain compares shards of equal counts with shards of equal length, and names the longest unit", () => {
    const all = [9, 1, 1, 1, 1, 1].map((seconds, index) => ({ name: `f${index}`, seconds }))
    assert.deepStrictEqual(ShardPlan.gain(all, ShardPlan.assign(all, 2), 2), {
      byCount: 11,
      byTime: 9,
      mean: 7,
      longest: { name: "f0", seconds: 9 }
    })
    assert.strictEqual(ShardPlan.gain([], new Map(), 3).longest, null)
  })
})

const secondsOf = (weighed: ShardWeight.Weighed) => weighed.units.map(({ seconds }) => seconds)

const timed = (testName: string, file: string | null, seconds: number): ShardWeight.TimedTest => ({
  testName,
  file,
  seconds
})

describe("ShardWeight", () => {
  it("a file takes as long as its tests, and a new file as long as the median of the known ones", () => {
    const tests = [timed("a", "t/a.py", 1), timed("b", "t/a.py", 2), timed("c", "t/b.py", 5), timed("d", "t/c.py", 30)]
    const weighed = ShardWeight.weigh(["t/new.py", "t/a.py", "t/b.py", "t/c.py"], "file", tests)
    assert.deepStrictEqual(secondsOf(weighed), [5, 3, 5, 30])
    assert.strictEqual(weighed.known, 3)
  })

  it("paths that begin at different folders are the same file, unless several files end alike", () => {
    const tests = [timed("a", "web/src/a.test.ts", 4), timed("b", "b.test.ts", 6), timed("i", "index.test.ts", 9)]
    const names = ["./src/a.test.ts", "/home/ci/web/src/b.test.ts", "x/index.test.ts", "y/index.test.ts"]
    const weighed = ShardWeight.weigh(names, "file", tests)
    assert.deepStrictEqual(secondsOf(weighed), [4, 6, 6, 6])
    assert.strictEqual(weighed.known, 2)
  })

  it("tests whose reports name no file belong to the file that their name begins with", () => {
    const tests = [
      timed("tests.test_cart.TestCart.test_adds", null, 2),
      timed("tests.test_cart.test_b", null, 1),
      timed("tests.test_cart_more.test_c", null, 7),
      timed("com.acme.CartTest.adds", null, 3),
      timed("src/web/cart.test.ts › adds", null, 11)
    ]
    const names = [
      "tests/test_cart.py",
      "tests/test_cart_more.py",
      "src/test/java/com/acme/CartTest.java",
      "src/web/cart.test.ts"
    ]
    assert.deepStrictEqual(secondsOf(ShardWeight.weigh(names, "file", tests)), [3, 7, 3, 11])
  })

  it("a class or package is the beginning of a name, and a test is the whole name", () => {
    const tests = [
      timed("com.acme.CartTest.adds", null, 3),
      timed("com.acme.CartTest.removes", null, 1),
      timed("example.com/shop/cart.TestAdd", null, 8)
    ]
    const classes = ["com.acme.CartTest", "example.com/shop/cart", "com.acme"]
    assert.deepStrictEqual(secondsOf(ShardWeight.weigh(classes, "class", tests)), [4, 8, 8])
    const weighed = ShardWeight.weigh(["com.acme.CartTest.adds", "com.acme.CartTest"], "test", tests)
    assert.deepStrictEqual(secondsOf(weighed), [3, 3])
    assert.strictEqual(weighed.known, 1)
  })

  it("pieces that take no time weigh a little, and without any duration all weigh alike", () => {
    assert.deepStrictEqual(secondsOf(ShardWeight.weigh(["a", "b"], "file", [timed("x", "a", 0)])), [
      ShardWeight.least,
      ShardWeight.least
    ])
    assert.deepStrictEqual(ShardWeight.weigh(["a", "b"], "file", []), {
      units: [
        { name: "a", seconds: 1 },
        { name: "b", seconds: 1 }
      ],
      known: 0
    })
  })

  it("the order of the recorded tests changes nothing", () => {
    const test = fc.record({
      testName: fc.constantFrom("a", "b", "c"),
      file: fc.constantFrom("x.py", "y.py", null),
      seconds: fc.double({ min: 0, max: 100, noNaN: true })
    })
    fc.assert(
      fc.property(fc.array(test, { maxLength: 30 }), (tests) => {
        const names = ["x.py", "y.py", "z.py"]
        const weighed = ShardWeight.weigh(names, "file", tests)
        assert.deepStrictEqual(ShardWeight.weigh(names, "file", [...tests].reverse()), weighed)
      }),
      { numRuns: 100 }
    )
  })
})
