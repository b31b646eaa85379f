/** Keys of `queue_rules` in mode `drive`: each changes the commands of the queue, or is refused. */
import { assert, describe, it } from "@effect/vitest"
import { DriveRule, QueueConfiguration, QueueRule } from "@lazaret/queue"
import { advance } from "@lazaret/queue/testing"
import { Instant } from "@lazaret/domain"
import { Result } from "effect"
import { batchOf } from "./support/Bisect.ts"
import { queue, rest, start } from "./support/Schedule.ts"
import { work } from "./support/Scenario.ts"

type Settings = Partial<QueueRule.Settings>

/** A key that acts: its value, the settings next to it, and the pull requests that fail. */
interface Effect {
  readonly change: Settings
  readonly next?: Settings
  readonly bad?: ReadonlyArray<number>
}

/** Values that are refused. */
const refused = {
  allowQueueBranchEdit: { allowQueueBranchEdit: true },
  draftBotAccount: { draftBotAccount: "robot" },
  mergeBotAccount: { mergeBotAccount: "robot" },
  updateBotAccount: { updateBotAccount: "robot" },
  updateMethod: { updateMethod: "rebase" }
} satisfies { readonly [Key in keyof QueueRule.Settings]?: Settings }

/** All other keys: a new one without its effect is an error of its type. */
const acting: { readonly [Key in Exclude<keyof QueueRule.Settings, keyof typeof refused>]: Effect } = {
  batchSize: { change: { batchSize: 2 } },
  batchMaxWaitTime: { change: { batchMaxWaitTime: 7200 }, next: { batchSize: 8 } },
  batchMaxFailureResolutionAttempts: {
    change: { batchMaxFailureResolutionAttempts: 0 },
    next: { batchSize: 4 },
    bad: [2]
  },
  allowInplaceChecks: { change: { allowInplaceChecks: false } },
  checksTimeout: { change: { checksTimeout: 60 } },
  commitMessageTemplate: { change: { commitMessageTemplate: "{{ title }}" } },
  mergeMethod: { change: { mergeMethod: "squash" } },
  queueBranchMergeMethod: { change: { queueBranchMergeMethod: "fast-forward" } },
  queueBranchPrefix: { change: { queueBranchPrefix: "queue/" } }
}

/** The log of the queue for four pull requests whose checks take two hours. */
const story = (settings: Settings, bad: ReadonlyArray<number>): string => {
  const trace = start(batchOf(4, bad, "judged_real"))
  const rules = QueueRule.prioritize([{ name: "default", settings }])
  Object.assign(trace.machine, { configuration: { ...trace.machine.configuration, rules } })
  for (let number = 1; number <= 4; number++) queue(trace)
  work(trace)
  advance(trace.machine, trace.machine.now + Instant.hour)
  work(trace)
  advance(trace.machine, trace.machine.now + Instant.hour)
  rest(trace)
  return JSON.stringify(trace.machine.log.map(({ at, event }) => [at, event]))
}

describe("keys of queue_rules in mode drive", () => {
  for (const [key, { bad = [], change, next = {} }] of Object.entries(acting)) {
    it(`${key} changes what the queue does`, () => {
      assert.deepStrictEqual(DriveRule.faults({ ...next, ...change }), [])
      assert.strictEqual(story(next, bad), story(next, bad))
      assert.notStrictEqual(story({ ...next, ...change }, bad), story(next, bad))
    })
  }

  for (const [key, settings] of Object.entries<Settings>(refused)) {
    it(`${key} is refused with a reason`, () => {
      const faults = DriveRule.faults(settings)
      const keys = faults.map(({ setting }) => setting)
      assert.deepStrictEqual<ReadonlyArray<string>>(keys, [key])
      assert.match(faults[0]?.message ?? "", /: .{10}/u)
    })
  }

  it("a key that no rule has is refused at its place, with those that exist", () => {
    const text = "queue_rules:\n  - name: default\n    engine: {when: {labels: [hotfix]}}"
    const [fault] = Result.getOrThrow(Result.flip(QueueConfiguration.parseAll(text)))
    assert.deepStrictEqual([fault?.path, fault?.line], ["queue_rules[0].engine", 3])
    assert.match(fault?.message ?? "", /^is not a known key; known are name, batch_size, /u)
  })
})
