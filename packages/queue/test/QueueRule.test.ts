import { assert, describe, it } from "@effect/vitest"
import { QueueRule } from "@lazaret/queue"
import { Schema } from "effect"

const keys = [
  "allowInplaceChecks",
  "allowQueueBranchEdit",
  "batchMaxFailureResolutionAttempts",
  "batchMaxWaitTime",
  "batchSize",
  "checksTimeout",
  "commitMessageTemplate",
  "draftBotAccount",
  "mergeBotAccount",
  "mergeMethod",
  "priority",
  "queueBranchMergeMethod",
  "queueBranchPrefix",
  "updateBotAccount",
  "updateMethod"
]

const Names = Schema.Array(Schema.String)

const account = Schema.NullOr(Schema.Literal("merge-bot"))

/** Drawn rules: the keys whose values are free text draw from a few. */
const Drawn = Schema.Struct({
  name: Schema.Literals(["default", "hot fix", "\u{1F600}"]),
  config: Schema.Struct({
    ...QueueRule.QueueConfig.fields,
    commitMessageTemplate: Schema.NullOr(Schema.Literals(["", "{{ title }}\n"])),
    draftBotAccount: account,
    mergeBotAccount: account,
    queueBranchPrefix: Schema.Literals(["gh-readonly-queue/", "q-"]),
    updateBotAccount: account
  })
})

describe("QueueRule", () => {
  it("a configuration has exactly the settings of the interface", () => {
    const [rule] = QueueRule.prioritize([{ name: "default", settings: {} }])
    assert.isDefined(rule)
    assert.deepStrictEqual(Object.keys(Schema.encodeSync(QueueRule.QueueRule)(rule).config).toSorted(), keys)
  })

  it("every default is a value that the schema accepts", () => {
    assert.isTrue(Schema.is(QueueRule.QueueConfig)({ priority: 0, ...QueueRule.defaults }))
  })

  it.prop("rules keep their order and count their priority down to 0", [Names], ([names]) => {
    const rules = QueueRule.prioritize(names.map((name) => ({ name, settings: {} })))
    assert.deepStrictEqual(
      rules.map((rule) => rule.name),
      [...names]
    )
    assert.deepStrictEqual(
      rules.map((rule) => rule.config.priority),
      names.map((_, index) => names.length - 1 - index)
    )
  })

  it.prop("every rule survives encoding, JSON and decoding", [Drawn], ([rule]) => {
    const encoded: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(QueueRule.QueueRule)(rule)))
    assert.deepStrictEqual(Schema.decodeUnknownSync(QueueRule.QueueRule)(encoded), rule)
  })

  it("a rule that is not configured has every default and the lowest priority", () => {
    const rules = QueueRule.prioritize([
      { name: "hotfix", settings: { batchSize: 5 } },
      { name: "default", settings: {} }
    ])
    assert.strictEqual(QueueRule.find(rules, "hotfix").config.batchSize, 5)
    assert.deepStrictEqual(QueueRule.find(rules, "Hotfix"), {
      name: "Hotfix",
      config: { priority: 0, ...QueueRule.defaults }
    })
  })

  it("updates rebase by default where merges fast-forward", () => {
    assert.strictEqual(QueueRule.complete({ mergeMethod: "fast-forward" }).updateMethod, "rebase")
    assert.strictEqual(QueueRule.complete({ mergeMethod: "fast-forward", updateMethod: "merge" }).updateMethod, "merge")
  })
})
