/** Stories of real merge queues, for a server that is killed meanwhile. Times are in minutes of the story. */
import { Hub, MergeQueue } from "@lazaret/forge-simulated"
import { bad, ending, flaky, green, type Pull } from "./Pulls.ts"
import type { Rules, World } from "./World.ts"

/** The actions of people in a story. */
export interface Hands {
  readonly world: World
  readonly pass: (minutes: number) => Promise<void>
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
}

/**
 * A story: the pull requests, what happens after they have entered, and the end that the queue has to reach.
 *
 * **Details**
 *
 * `merged`: those that land, in any order. `left`: those that are evicted for their failure. Timeouts of the platform are
 * expected in a pause alone.
 */
export interface Story {
  readonly pulls: ReadonlyArray<Pull>
  readonly rules?: Partial<Rules>
  readonly more?: string
  readonly happens?: (hands: Hands) => Promise<void>
  readonly merged: ReadonlyArray<number>
  readonly left?: ReadonlyArray<number>
}

/** The file of a gate; `more` are further keys. */
export const file = (more = ""): string =>
  `merge_queue:\n  mode: gate\n  shadow: false\n  required_checks: [unit]\n  response_timeout: 25m\n${more}`

const pausedFor =
  (minutes: number) =>
  async ({ pass, pause, resume, world }: Hands): Promise<void> => {
    await pause()
    await pass(1)
    const before = world.merged().length
    await pass(minutes)
    if (world.merged().length !== before) throw new Error("a pull request was merged in a pause")
    await resume()
  }

const after =
  (minutes: number, happens: (hands: Hands) => Promise<void>) =>
  async (hands: Hands): Promise<void> => {
    await hands.pass(minutes)
    await happens(hands)
  }

const lost = async ({ world }: Hands): Promise<void> => {
  world.world.isDelivered = false
}

const long: Pull = { ...green, minutes: 8 }
const waiting = "  missing_after: 3m\n"

/** A pause is shorter than the timeout of the platform, unless the story says so. */
export const stories: Readonly<Record<string, Story>> = {
  "three green pull requests": { pulls: [green, green, green], merged: [1, 2, 3] },
  "five green pull requests": { pulls: [green, green, green, green, green], merged: [1, 2, 3, 4, 5] },
  "a pause while two groups are in flight": { pulls: [green, green], happens: pausedFor(6), merged: [1, 2] },
  "a pause beyond the timeout, by three": {
    pulls: [green, green, green],
    rules: { timeout: 10 },
    more: "  response_timeout: 10m\n",
    happens: pausedFor(14),
    merged: [1, 2, 3]
  },
  "a pause beyond the timeout, with every delivery lost": {
    pulls: [green, green],
    rules: { timeout: 10 },
    more: "  response_timeout: 10m\n",
    happens: async (hands) => {
      await lost(hands)
      await pausedFor(14)(hands)
    },
    merged: [1, 2]
  },
  "a pause while a flaky failure runs again": { pulls: [flaky, green], happens: pausedFor(8), merged: [1, 2] },
  "two pauses": {
    pulls: [long, long],
    happens: async (hands) => {
      await pausedFor(3)(hands)
      await hands.pass(2)
      await pausedFor(3)(hands)
    },
    merged: [1, 2]
  },
  "a flaky failure in the middle of three": { pulls: [green, flaky, green], merged: [1, 2, 3] },
  "a flaky failure at the head": { pulls: [flaky, green], merged: [1, 2] },
  "a flaky failure at the end": { pulls: [green, green, flaky], merged: [1, 2, 3] },
  "a failure of unknown cause that passes when it runs again": {
    pulls: [{ ...ending("failure", "success"), of: "nothing" }],
    merged: [1]
  },
  "a real failure in the middle": { pulls: [green, bad, green], merged: [1, 3], left: [2] },
  "a real failure at the head": { pulls: [bad, green, green], merged: [2, 3], left: [1] },
  "a real failure at the end": { pulls: [green, green, bad], merged: [1, 2], left: [3] },
  "two real failures, the first and the last": { pulls: [bad, green, bad], merged: [2], left: [1, 3] },
  "a real failure behind a flaky one": { pulls: [flaky, bad, green], merged: [1, 3], left: [2] },
  "a flaky failure behind a real one": { pulls: [bad, flaky], merged: [2], left: [1] },
  "deliveries lost": { pulls: [green, flaky, green], happens: lost, merged: [1, 2, 3] },
  "deliveries lost, with a real failure": { pulls: [bad, green], happens: lost, merged: [2], left: [1] },
  "a required job is cancelled once": { pulls: [ending("cancelled", "success"), green], merged: [1, 2] },
  "a required job runs out of its time once": { pulls: [ending("timed_out", "success"), green], merged: [1, 2] },
  "runners are lost in every group once": {
    pulls: [ending("cancelled", "success"), ending("cancelled", "success"), ending("cancelled", "success")],
    merged: [1, 2, 3]
  },
  "the platform loses the run of the second of three groups": {
    pulls: [green, green, green],
    more: waiting,
    happens: async ({ world }) => {
      MergeQueue.loseRuns(world.repository, 2)
      for (const number of [2, 3]) {
        world.leave(number)
        world.enter(number)
      }
    },
    merged: [1, 2, 3]
  },
  "a skipped required job passes": { pulls: [ending("skipped"), green], merged: [1, 2] },
  "a neutral required job passes": { pulls: [ending("neutral"), ending("neutral")], merged: [1, 2] },
  "a flaky job of a workflow in which another job runs longer": { pulls: [{ ...flaky, besides: 7 }], merged: [1] },
  "a lost runner in a workflow in which another job runs longer": {
    pulls: [{ ...ending("cancelled", "success"), besides: 7 }, green],
    merged: [1, 2]
  },
  "an umbrella job that does not exist for eight minutes": {
    pulls: [
      { ...green, after: 8 },
      { ...green, after: 8 }
    ],
    more: waiting,
    merged: [1, 2]
  },
  "an umbrella job that fails once": { pulls: [{ ...flaky, after: 6 }, green], more: waiting, merged: [1, 2] },
  "a pause while a green group waits for its minimum": {
    pulls: [green, { ...green, minutes: 12 }],
    rules: { minimum: 2 },
    happens: after(5, pausedFor(5)),
    merged: [1, 2]
  },
  "a pause where the last green group counts for all": {
    pulls: [{ ...green, minutes: 10 }, green],
    rules: { isHeadGreen: true, minimum: 2 },
    happens: after(4, pausedFor(4)),
    merged: [1, 2]
  },
  "a required check that is renamed in CI, and then in the configuration": {
    pulls: [green, green],
    happens: async ({ pass, world }) => {
      await world.configure(file().replace("[unit]", "[units]"))
      await pass(10)
      if (world.evicted().length > 0) throw new Error("a pull request left for a check that CI does not have")
      await world.configure(file())
    },
    merged: [1, 2]
  },
  "a workflow that does not start, and does when it is mended": {
    pulls: [green, green],
    more: waiting,
    happens: async ({ pass, world }) => {
      world.world.hasJobs = false
      await pass(8)
      world.world.hasJobs = true
    },
    merged: [1, 2]
  },
  "a person takes a pull request out in a pause": {
    pulls: [long, green],
    happens: async ({ pass, pause, resume, world }) => {
      await pause()
      await pass(2)
      world.leave(1)
      await pass(2)
      await resume()
    },
    merged: [2]
  },
  "a pull request that enters while others are tested": {
    pulls: [long, long, green],
    happens: after(2, async ({ world }) => world.enter(3)),
    merged: [1, 2, 3]
  },
  "an author closes a pull request that is tested": {
    pulls: [long, green],
    happens: after(2, async ({ world }) => {
      const pull = world.repository.pulls.find(({ number }) => number === 1)
      if (pull !== undefined) pull.state = "closed"
    }),
    merged: [2]
  },
  "an author pushes to a queued pull request, and queues it again": {
    pulls: [long, green],
    happens: after(2, async ({ pass, world }) => {
      MergeQueue.push(world.repository, 1, "c".repeat(40), Date.now())
      await pass(2)
      world.enter(1)
    }),
    merged: [1, 2]
  },
  "a base branch that is force-pushed stops everything until a person resumes": {
    pulls: [long, long],
    happens: after(3, async ({ pass, resume, world }) => {
      Hub.advance(world.repository, "d".repeat(40), "m0")
      await pass(3)
      Hub.advance(world.repository, "e".repeat(40), "m0")
      await pass(9)
      await resume()
    }),
    merged: [1, 2]
  }
}
