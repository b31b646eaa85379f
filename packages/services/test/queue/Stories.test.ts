/** Stories of real queues, on a platform with several jobs, its own clock and its own reasons. */
import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { ref } from "../builders.ts"
import * as Platform from "./simpleQueue.ts"
import * as World from "./world.ts"

const flaky = { ends: ["failure", "success"], of: "flaky" } as const
const bad = { ends: ["failure"], isBad: true } as const

/** The file of a gate; `more` are further keys. */
const file = (more = "") =>
  `merge_queue:\n  mode: gate\n  shadow: false\n  required_checks: [unit]\n  response_timeout: 60m\n${more}`

/**
 * A story: the pull requests, what happens, and how it ends.
 *
 * **Details**
 *
 * `happens` runs after all have entered. `merged`: in this order. `left`: who is out of the queue at the end. `timeouts`: how
 * often the platform gives up on a check, which is the gate's doing only in a hold.
 */
interface Story {
  readonly pulls: Readonly<Record<number, World.Pull>>
  readonly rules?: Partial<World.Rules>
  readonly more?: string
  readonly happens?: (world: World.World) => Effect.Effect<unknown, unknown>
  readonly minutes?: number
  readonly merged: ReadonlyArray<number>
  readonly left?: ReadonlyArray<number>
  readonly timeouts?: number
}

const pause = ({ run }: World.World) => run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
const resume = ({ run }: World.World) => run(Queues.use((queues) => queues.unpause(ref, "ana")))

/** Some minutes of a pause, in which nothing may be merged. */
const pausedFor = (world: World.World, minutes: number) =>
  Effect.gen(function* () {
    yield* pause(world)
    yield* world.pass(1)
    const before = [...world.merged]
    yield* world.pass(minutes)
    assert.deepStrictEqual(world.merged, before, "nothing is merged in a pause")
    yield* resume(world)
  })

const refuse = ({ platform }: World.World, count: number, reason: Platform.Fault["reason"] = "refused"): void => {
  for (let index = 0; index < count; index += 1) platform.faults.push({ when: "before", reason })
}

const lost = (world: World.World) => Effect.sync(() => Object.assign(world.world, { isDelivered: false }))

const stories: Readonly<Record<string, Story>> = {
  "three green pull requests land in order": { pulls: { 1: {}, 2: {}, 3: {} }, merged: [1, 2, 3] },
  "a pause while two groups are in flight": {
    pulls: { 1: {}, 2: {} },
    happens: (world) => pausedFor(world, 10),
    merged: [1, 2]
  },
  "a pause beyond the platform's timeout, by three entries": {
    pulls: { 1: {}, 2: {}, 3: {} },
    happens: (world) => pausedFor(world, 75),
    minutes: 30,
    merged: [2, 3, 1],
    timeouts: 1
  },
  "a pause beyond the timeout, by a platform whose clock is a minute late": {
    pulls: { 1: {}, 2: {} },
    rules: { lag: 1 },
    happens: (world) => pausedFor(world, 75),
    minutes: 30,
    merged: [2, 1],
    timeouts: 1
  },
  "a pause beyond the timeout, with every delivery lost": {
    pulls: { 1: {}, 2: {} },
    happens: (world) => Effect.andThen(lost(world), pausedFor(world, 75)),
    minutes: 40,
    merged: [2, 1],
    timeouts: 1
  },
  "two pauses beyond the timeout": {
    pulls: { 1: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* pausedFor(world, 65)
        yield* world.pass(2)
        yield* pausedFor(world, 65)
      }),
    minutes: 30,
    merged: [1],
    timeouts: 1
  },
  "a flaky failure in the middle of three": { pulls: { 1: {}, 2: flaky, 3: {} }, merged: [1, 2, 3] },
  "a flaky failure at the head": { pulls: { 1: flaky, 2: {} }, merged: [1, 2] },
  "a test that is flaky twice": { pulls: { 1: { ...flaky, ends: ["failure", "failure", "success"] } }, merged: [1] },
  "a real failure in the middle": { pulls: { 1: {}, 2: bad, 3: {} }, merged: [1, 3], left: [2] },
  "a real failure at the head": { pulls: { 1: bad, 2: {}, 3: {} }, merged: [2, 3], left: [1] },
  "two real failures, the first and the last": { pulls: { 1: bad, 2: {}, 3: bad }, merged: [2], left: [1, 3] },
  "a failure of unknown cause passes when it runs again": {
    pulls: { 1: { ends: ["failure", "success"], of: "unknown" } },
    merged: [1]
  },
  "a failure of unknown cause that fails again": {
    pulls: { 1: { ends: ["failure"], of: "unknown", isBad: true }, 2: {} },
    merged: [2],
    left: [1]
  },
  "deliveries lost": { pulls: { 1: {}, 2: flaky, 3: {} }, happens: lost, minutes: 40, merged: [1, 2, 3] },
  "a base branch that is force-pushed stops everything until a person resumes": {
    pulls: { 1: {}, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        world.platform.tip = { sha: "m1", tree: "t1", isRewritten: false }
        yield* world.pass(1)
        world.platform.tip = { sha: "m0", tree: "t0", isRewritten: true }
        yield* world.pass(10)
        assert.deepStrictEqual(world.merged, [])
        yield* resume(world)
      }),
    merged: [1, 2]
  },
  "a required check that does not start, and does when its workflow is mended": {
    pulls: { 1: { minutes: 5 }, 2: { minutes: 5 } },
    more: "  missing_after: 3m\n",
    happens: (world) =>
      Effect.gen(function* () {
        Object.assign(world.world, { hasJobs: false })
        yield* world.pass(30)
        assert.deepStrictEqual(world.removed, [])
        Object.assign(world.world, { hasJobs: true })
      }),
    merged: [1, 2]
  },
  "an administrator merges the second around the queue": {
    pulls: { 1: { minutes: 6 }, 2: {}, 3: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.pass(2)
        world.merged.push(2)
        Platform.land(world.platform, 2, "another tree")
        for (const [index, entry] of world.platform.entries.entries()) {
          world.platform.entries[index] = { ...entry, group: null }
        }
      }),
    merged: [2, 1, 3]
  },
  "a server that is away for five minutes": {
    pulls: { 1: {}, 2: flaky },
    happens: (world) =>
      Effect.gen(function* () {
        Object.assign(world.world, { isServed: false, isDelivered: false })
        yield* world.pass(5)
        Object.assign(world.world, { isServed: true })
      }),
    minutes: 40,
    merged: [1, 2]
  },
  "a server that dies in a round": {
    pulls: { 1: {}, 2: {} },
    happens: ({ pass, platform }) => {
      platform.next = "dies"
      return pass(1)
    },
    merged: [1, 2]
  },
  "a flaky job of a workflow in which another job runs longer": {
    pulls: { 1: { ...flaky, beside: 15 } },
    minutes: 40,
    merged: [1]
  },
  "writes of the green check are refused for two minutes": {
    pulls: { 1: {}, 2: {} },
    happens: (world) => Effect.sync(() => refuse(world, 8)),
    minutes: 40,
    merged: [1, 2]
  },
  "a rerun is refused twice": {
    pulls: { 1: flaky },
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.pass(3)
        refuse(world, 2)
      }),
    merged: [1]
  },
  "the platform refuses to queue again twice": {
    pulls: { 1: {}, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* pausedFor(world, 75)
        refuse(world, 2)
      }),
    minutes: 40,
    merged: [2, 1],
    timeouts: 1
  },
  "writes without an answer": {
    pulls: { 1: {}, 2: flaky },
    happens: (world) => Effect.sync(() => refuse(world, 4, "unavailable")),
    minutes: 40,
    merged: [1, 2]
  },
  "a read is refused while groups are in flight": {
    pulls: { 1: {}, 2: {} },
    happens: ({ pass, platform }) => {
      platform.next = "refuses"
      return pass(1)
    },
    merged: [1, 2]
  },
  "a required job is cancelled once": { pulls: { 1: { ends: ["cancelled", "success"] }, 2: {} }, merged: [1, 2] },
  "a required job runs out of its time once": { pulls: { 1: { ends: ["timed_out", "success"] } }, merged: [1] },
  "a pause while a green group waits for its minimum": {
    pulls: { 1: {}, 2: { minutes: 20 } },
    rules: { minimum: 2 },
    happens: (world) => Effect.andThen(world.pass(6), pausedFor(world, 10)),
    minutes: 40,
    merged: [1, 2]
  },
  "a pause where the last green group counts for all": {
    pulls: { 1: { minutes: 20 }, 2: {} },
    rules: { isHeadGreen: true, minimum: 3 },
    happens: (world) => Effect.andThen(world.pass(6), pausedFor(world, 8)),
    minutes: 5,
    merged: []
  },
  "a required check that is renamed in CI, and then in the configuration": {
    pulls: { 1: {}, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.configure(file().replace("[unit]", "[units]"))
        yield* world.pass(40)
        assert.deepStrictEqual([world.merged, world.removed], [[], []])
        yield* world.configure(file())
      }),
    merged: [1, 2]
  },
  "an umbrella job that does not exist for twenty minutes": {
    pulls: { 1: { after: 20 }, 2: { after: 20 } },
    more: "  missing_after: 3m\n",
    minutes: 40,
    merged: [1, 2]
  },
  "the platform loses the run of the first of three groups: it is queued again once": {
    pulls: { 1: { lost: 1 }, 2: {}, 3: {} },
    merged: [2, 3, 1]
  },
  "a workflow that never runs for a pull request, whose tree passed as that of the group behind": {
    pulls: { 1: { lost: 9 }, 2: {} },
    merged: [2, 1]
  },
  "a workflow that never runs for a pull request: it is queued again once, then held, and leaves": {
    pulls: { 1: { lost: 9, isBad: true }, 2: { minutes: 10 } },
    more: "  missing_after: 12m\n  incident: {longest: 20m}\n",
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.pass(24)
        assert.deepStrictEqual([world.merged, world.removed], [[2], []], "held")
        assert.deepStrictEqual(
          world.platform.writes.filter((write) => write === "dequeue 1"),
          ["dequeue 1"]
        )
      }),
    minutes: 40,
    merged: [2],
    left: [1]
  },
  "the platform loses the run of the second of three groups": {
    pulls: { 1: {}, 2: { lost: 1 }, 3: {} },
    minutes: 30,
    merged: [1, 3, 2]
  },
  "a run is lost, and writes of the gate are refused or stay without an answer": {
    pulls: { 1: { lost: 1 }, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.pass(5)
        refuse(world, 2)
        refuse(world, 3, "unavailable")
      }),
    minutes: 40,
    merged: [2, 1]
  },
  "a run is lost, and a pause begins before it is queued again": {
    pulls: { 1: { lost: 1 }, 2: {} },
    happens: (world) => Effect.andThen(world.pass(5), pausedFor(world, 10)),
    minutes: 40,
    merged: [2, 1]
  },
  "an entry that conflicts and stays in the queue of the platform is taken out, and those behind it are merged": {
    pulls: { 1: { isBad: true, conflictsAfter: 0 }, 2: {}, 3: {} },
    minutes: 30,
    merged: [2, 3]
  },
  "an entry that conflicts is not taken out during a pause": {
    pulls: { 1: { isBad: true, conflictsAfter: 2 }, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* pause(world)
        yield* world.pass(10)
        assert.include(
          world.platform.entries.map(({ number }) => number),
          1
        )
        yield* resume(world)
      }),
    minutes: 30,
    merged: [2]
  },
  "an entry that the platform cannot merge is not taken out while its pull request does not conflict": {
    pulls: { 1: { isUnsure: true, conflictsAfter: 0 } },
    happens: (world) =>
      Effect.andThen(
        world.pass(20),
        Effect.sync(() => assert.notInclude(world.platform.writes, "dequeue 1"))
      ),
    merged: []
  },
  "groups that were green in a pause pass at once when they are built again as the same trees": {
    pulls: { 1: { minutes: 5 }, 2: { minutes: 5 } },
    happens: (world) =>
      Effect.gen(function* () {
        yield* pausedFor(world, 58)
        yield* pause(world)
        yield* world.pass(8)
        yield* resume(world)
        yield* world.pass(4)
        assert.include(world.merged, 1)
      }),
    merged: [2, 1],
    timeouts: 1
  },
  "a skipped required job passes": { pulls: { 1: { ends: ["skipped"] }, 2: { ends: ["neutral"] } }, merged: [1, 2] },
  "a person takes a pull request out in a pause": {
    pulls: { 1: {}, 2: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* pause(world)
        yield* world.pass(2)
        world.remove(1, "manual", yield* world.now, "ana")
        yield* world.pass(3)
        yield* resume(world)
      }),
    merged: [2]
  },
  "CI is down: unrelated groups fail alike, and nobody leaves": {
    pulls: Object.fromEntries([1, 2, 3].map((number) => [number, { ends: ["cancelled", "success"], minutes: 2 }])),
    merged: [1, 2, 3]
  },
  "a pull request that enters while others are tested": {
    pulls: { 1: {}, 2: {}, 3: {} },
    happens: (world) =>
      Effect.gen(function* () {
        yield* world.pass(2)
        world.enter(3)
      }),
    merged: [1, 2, 3]
  }
}

describe("stories of a gate", () => {
  for (const [name, story] of Object.entries(stories)) {
    test(`${name}: no innocent pull request leaves, and no bad one is merged`, function* () {
      const rules = { timeout: 60, minimum: 1, isHeadGreen: false, lag: 0, ...story.rules }
      const world = yield* World.begin(story.pulls, rules, file(story.more))
      world.enter(...Object.keys(story.pulls).map(Number))
      yield* world.pass(1)
      if (story.happens !== undefined) yield* story.happens(world)
      yield* world.pass(story.minutes ?? 20)
      const isBad = (number: number) => world.planOf(number).isBad
      const evicted = world.removed.filter(([, reason]) => reason === "ci_failure").map(([number]) => number)
      assert.deepStrictEqual(world.merged, story.merged, "merged")
      assert.deepStrictEqual(world.merged.filter(isBad), [], "bad landed")
      assert.deepStrictEqual(evicted.toSorted(), story.left ?? [], "evicted")
      assert.deepStrictEqual(
        evicted.filter((number) => !isBad(number)),
        [],
        "innocents evicted"
      )
      const timeouts = world.removed.filter(([, reason]) => reason === "ci_timeout")
      assert.lengthOf(timeouts, story.timeouts ?? 0, "timeouts")
    })
  }
})
