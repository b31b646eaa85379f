import { assert, describe, it } from "@effect/vitest"
import { QueueConfiguration, QueueDuration, QueueRule } from "@lazaret/queue"
import { Result, Schema } from "effect"

const rulesOf = (text: string) => Result.getOrThrowWith(QueueConfiguration.parse(text), (faults) => faults)

const faultsOf = (text: string) =>
  Result.match(QueueConfiguration.parse(text), { onSuccess: () => [], onFailure: (faults) => faults })

const messageOf = (setting: string) =>
  faultsOf(`queue_rules:\n  - name: default\n    ${setting}`)
    .map(({ message }) => message)
    .join("; ")

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("QueueConfiguration", () => {
  it("rules are read in processing order with every key filled in and durations in seconds", () => {
    const [hotfix, standard] = rulesOf(`
queue_rules:
  - name: hotfix
    batch_size: 5
    batch_max_wait_time: 5 minutes
    checks_timeout: 1h 30m
    allow_inplace_checks: false
    merge_method: squash
    commit_message_template: |
      {{ title }}
  - name: default
`)
    assert.deepStrictEqual(hotfix, {
      name: "hotfix",
      config: {
        ...QueueRule.defaults,
        priority: 1,
        batchSize: 5,
        batchMaxWaitTime: 300,
        checksTimeout: 5400,
        allowInplaceChecks: false,
        mergeMethod: "squash",
        commitMessageTemplate: "{{ title }}\n"
      }
    })
    assert.deepStrictEqual(standard, { name: "default", config: { ...QueueRule.defaults, priority: 0 } })
  })

  it("a document without rules gives none", () => {
    for (const text of ["", "# nothing yet\n", "---\n", "null", "{}", "queue_rules:", "queue_rules: []", "\uFEFF{}"]) {
      assert.deepStrictEqual(rulesOf(text), [], JSON.stringify(text))
    }
  })

  it("every fault is reported with its path and line", () => {
    const faults = faultsOf(
      [
        "queue_rules:",
        "  - name: default",
        "    batchsize: 5",
        "    batch_size: 0",
        "    checks_timeout: 90",
        "  - batch_size: 2",
        "  - default",
        "  - name: default",
        "    priority: 3",
        "queue_rule: []"
      ].join("\n")
    )
    assert.deepStrictEqual(faults, [
      { path: "queue_rules[0].batchsize", line: 3, message: "is not a known key; did you mean batch_size?" },
      { path: "queue_rules[0].batch_size", line: 4, message: "must be a whole number from 1 to 128" },
      {
        path: "queue_rules[0].checks_timeout",
        line: 5,
        message: 'must say its unit, such as "30 s" or "5 minutes"'
      },
      { path: "queue_rules[1].name", line: 6, message: "is missing: every rule needs a name" },
      { path: "queue_rules[2]", line: 7, message: "must be a map with a name" },
      { path: "queue_rules[3].name", line: 8, message: "is also the name of queue_rules[0]" },
      {
        path: "queue_rules[3].priority",
        line: 9,
        message: "cannot be set: it follows from the order of the rules, the first is the highest"
      },
      { path: "queue_rule", line: 10, message: "is not a known key; did you mean queue_rules?" }
    ])
  })

  it.prop("batch sizes from 1 to 128 are accepted, all others refused", [whole(-10, 300)], ([size]) => {
    const isAccepted = messageOf(`batch_size: ${size}`) === ""
    assert.strictEqual(isAccepted, size >= 1 && size <= 128)
  })

  it("values of the wrong type are refused with what is expected", () => {
    assert.strictEqual(messageOf('batch_size: "5"'), "must be a whole number from 1 to 128")
    assert.strictEqual(messageOf("allow_inplace_checks: yes"), "must be true or false")
    assert.strictEqual(messageOf("allow_inplace_checks:"), "must be true or false")
    assert.strictEqual(messageOf("merge_method: octopus"), "must be merge, squash, rebase or fast-forward")
    assert.strictEqual(messageOf("checks_timeout: 59 s"), "must be a duration from 1 minute to 7 days, or null")
    assert.strictEqual(messageOf("batch_max_wait_time: 8 days"), "must be a duration of at most 7 days")
    assert.strictEqual(messageOf("batch_size: [1]"), "must be a whole number from 1 to 128")
    assert.strictEqual(messageOf("checks_timeout: null"), "")
  })

  it("a key that is written twice is refused", () => {
    assert.strictEqual(messageOf("batch_size: 1\n    batch_size: 2"), "is written twice")
  })

  it("names that reach into objects are plain unknown keys", () => {
    assert.include(messageOf("__proto__: 1"), "is not a known key")
    assert.include(messageOf("constructor: 1"), "is not a known key")
  })

  it("anchors and aliases are followed", () => {
    const rules = rulesOf("queue_rules:\n  - name: a\n    batch_size: &size 7\n  - name: b\n    batch_size: *size")
    assert.deepStrictEqual(
      rules.map((rule) => rule.config.batchSize),
      [7, 7]
    )
  })

  it("a map that is merged in is refused, with what to do instead", () => {
    const text = "queue_rules:\n  - &a {name: a}\n  - <<: *a\n    name: b"
    assert.deepStrictEqual(faultsOf(text), [
      {
        path: "queue_rules[1].<<",
        line: 3,
        message: "cannot be merged in: write the settings out, or use an alias for each value"
      }
    ])
  })

  it("an alias of nothing, of itself, or too many of them are refused", () => {
    assert.include(faultsOf("queue_rules: *nope")[0]?.message, "has no anchor")
    assert.strictEqual(faultsOf("queue_rules: &q\n  - *q").length, 1)
    const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`)
    assert.deepStrictEqual(faultsOf(`l0: &l0 [x]\n${levels.join("\n")}`), [
      { path: "document", line: 1, message: "has 81 aliases; at most 50 are accepted" }
    ])
  })

  it("huge, deep and broken documents are refused with one clear reason", () => {
    assert.include(faultsOf("#".repeat(65_537))[0]?.message, "65536")
    assert.deepStrictEqual(faultsOf("[".repeat(60_000)), [
      { path: "document", line: 1, message: "cannot be read: it is nested too deeply" }
    ])
    assert.include(faultsOf("a:\n".repeat(20_000))[0]?.message, "at most 50")
    assert.include(faultsOf(`queue_rules:\n${"- name: x\n".repeat(101)}`)[0]?.message, "at most 100")
    assert.deepInclude(faultsOf("queue_rules:\n  - name: 'open")[0], { path: "document", line: 2 })
    assert.deepInclude(faultsOf("queue_rules: !!js/function x")[0], { path: "document", line: 1 })
    assert.deepStrictEqual(faultsOf("queue_rules: []\n---\nqueue_rules: []"), [
      { path: "document", line: 2, message: "begins another document: only one is accepted in a file" }
    ])
    assert.strictEqual(faultsOf("- name: x")[0]?.message, "must be a map with the key queue_rules")
  })

  it.prop("no text makes the reader throw", [Schema.String], ([text]) => {
    assert.isTrue(Result.isResult(QueueConfiguration.parse(text)))
    assert.isTrue(Result.isResult(QueueConfiguration.parse(`queue_rules:\n  - name: ${text}`)))
  })
})

describe("QueueDuration", () => {
  const secondsOf = (text: string) => Result.getOrNull(QueueDuration.parse(text))

  it("durations are whole numbers with units, short or long", () => {
    assert.strictEqual(secondsOf("5 minutes"), 300)
    assert.strictEqual(secondsOf("30s"), 30)
    assert.strictEqual(secondsOf("1h 30m"), 5400)
    assert.strictEqual(secondsOf("2 days"), 172_800)
    assert.strictEqual(secondsOf(" 1 Week 1 day "), 691_200)
    assert.strictEqual(secondsOf("0 s"), 0)
  })

  it("what is not a duration is refused", () => {
    for (const text of ["", "s", "5", "-5 s", "1.5 h", "5 fortnights", "1h 1h", "1h 60 minutes 1 min", "1 h,"]) {
      assert.isNull(secondsOf(text), text)
    }
  })

  it.prop(
    "the parts add up",
    [Schema.Struct({ d: whole(0, 999), h: whole(0, 999), m: whole(0, 999), s: whole(0, 999) })],
    ([{ d, h, m, s }]) => {
      const total = d * 86_400 + h * 3600 + m * 60 + s
      assert.strictEqual(secondsOf(`${d}d${h}h${m}m${s}s`), total)
      assert.strictEqual(secondsOf(`${s} seconds ${m} minutes ${h} hours ${d} days`), total)
    }
  )
})

describe("QueueConfiguration of a driven queue", () => {
  const rule = (name: string, settings: ReadonlyArray<string> = []) =>
    [`  - name: ${name}`, ...settings.map((setting) => `    ${setting}`)].join("\n")

  const pathsOf = (engine: ReadonlyArray<string>, ...rules: ReadonlyArray<string>) =>
    faultsOf(
      [
        "merge_queue:",
        "  required_checks: [unit]",
        ...engine.map((setting) => `  ${setting}`),
        ...(rules.length === 0 ? [] : ["queue_rules:", ...rules])
      ].join("\n")
    ).map(({ path }) => path)

  it("batches are joined only where each rule pushes what was tested, by either of its methods", () => {
    const skipping = ["mode: drive", "skip_intermediate: true"]
    const pushing = "queue_branch_merge_method: fast-forward"
    const skip = ["merge_queue.skip_intermediate"]
    assert.deepStrictEqual(pathsOf(skipping), skip)
    assert.deepStrictEqual(pathsOf(skipping, rule("a")), skip)
    assert.deepStrictEqual(pathsOf(skipping, rule("a", [pushing]), rule("b")), skip)
    assert.deepStrictEqual(pathsOf(skipping, rule("a", [pushing]), rule("b", [pushing])), [])
    assert.deepStrictEqual(pathsOf(["mode: drive", "skip_intermediate: false"], rule("a")), [])
  })
  it("a rule that no driven queue can follow is refused at its setting, and another mode accepts it", () => {
    const prefix = rule("a", ["queue_branch_prefix: a//b"])
    assert.deepStrictEqual(pathsOf(["mode: drive"], prefix), ["queue_rules[0].queue_branch_prefix"])
    assert.deepStrictEqual(pathsOf(["mode: gate"], prefix), [])
    const rebase = rule("b", ["merge_method: rebase", "batch_size: 2"])
    assert.deepStrictEqual(pathsOf(["mode: drive"], rule("a"), rebase), ["queue_rules[1].merge_method"])
  })
})
