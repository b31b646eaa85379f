import { AutoQuarantine, CostPolicy, HealthPolicy, IssuePolicy, Outage, Quarantine, Repository } from "@lazaret/domain"
import { runContexts } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const settings = Repository.defaultSettings

describe("Repository, names", () => {
  it("an owner is 1 to 40 letters, digits and hyphens", () => {
    const isOwner = Schema.is(Repository.Owner)
    for (const owner of ["a", "A-9", "-", "a".repeat(40)]) assert.isTrue(isOwner(owner), owner)
    for (const owner of ["", "a".repeat(41), "a_b", "a.b", "a/b", "a b", "é", "a\n", "\u212a"]) {
      assert.isFalse(isOwner(owner), JSON.stringify(owner))
    }
  })

  it("a repository is 1 to 100 letters, digits, underscores, hyphens and dots", () => {
    const isName = Schema.is(Repository.RepositoryName)
    for (const name of ["a", "A_9-.x", ".", "a".repeat(100)]) assert.isTrue(isName(name), name)
    for (const name of ["", "a".repeat(101), "a/b", "a b", "é", "a\n", "\u017f"]) {
      assert.isFalse(isName(name), JSON.stringify(name))
    }
  })

  it.prop(
    "names of repositories match without regard to case, and in no other way",
    [Repository.Owner, Repository.RepositoryName],
    ([owner, repository]) => {
      const key = Repository.key({ owner, repository })
      assert.strictEqual(Repository.key({ owner: owner.toUpperCase(), repository: repository.toLowerCase() }), key)
      assert.notStrictEqual(Repository.key({ owner: `${owner}x`, repository }), key)
      assert.notStrictEqual(Repository.key({ owner, repository: `${repository}x` }), key)
    }
  )
})

describe("Repository.defaultBranch", () => {
  const table: ReadonlyArray<
    readonly [rule: string, setting: string | null, main: number | null, master: number | null, branch: string]
  > = [
    ["main before anything is known", null, null, null, "main"],
    ["main, when it alone has executions", null, 5, null, "main"],
    ["master, when it alone has executions", null, null, 5, "master"],
    ["main, when it is seen first", null, 4, 5, "main"],
    ["master, when it is seen first", null, 5, 4, "master"],
    ["main, when both start at once", null, 5, 5, "main"],
    ["master, also from the epoch on", null, 1, 0, "master"],
    ["main, also from the epoch on", null, 0, 1, "main"],
    ["the setting, whatever was seen", "develop", 4, 5, "develop"],
    ["the setting, before anything is known", "develop", null, null, "develop"],
    ["the setting, also against the other name", "master", 4, null, "master"]
  ]
  for (const [rule, defaultBranch, main, master, branch] of table) {
    it(`Repository.defaultBranch is ${rule}`, () => {
      assert.strictEqual(Repository.defaultBranch({ ...settings, defaultBranch }, { main, master }), branch)
    })
  }
})

describe("Repository.isDefaultBranch", () => {
  const table: ReadonlyArray<
    readonly [rule: string, branch: string | null, baseBranch: string | null, of: string, counts: boolean]
  > = [
    ["a run of the branch counts", "main", null, "main", true],
    ["a run of another branch does not", "topic", null, "main", false],
    ["a run without a branch counts", null, null, "main", true],
    ["case is part of the name", "Main", null, "main", false],
    ["a pull request never counts, whatever its head is called", "main", "main", "main", false],
    ["a pull request against another branch neither", "main", "release", "main", false],
    ["a pull request without a head neither", null, "main", "main", false],
    ["a merge queue branch does not count", "gh-readonly-queue/main/pr-1", null, "main", false],
    ["not even as the default branch", "gh-readonly-queue/main", null, "gh-readonly-queue/main", false],
    ["of none of the queues", "mergify/merge-queue/1", null, "mergify/merge-queue/1", false],
    ["nor one of our own queue", "lazaret/queue/main/1", null, "lazaret/queue/main/1", false],
    ["of none of them", "trunk-merge/1", null, "trunk-merge/1", false],
    ["a branch of a fork does not, even as the default branch", "ada:main", null, "ada:main", false],
    ["a branch that only sounds like a queue counts", "trunk-merge", null, "trunk-merge", true],
    ["also with a prefix", "my/gh-readonly-queue/main", null, "my/gh-readonly-queue/main", true]
  ]
  for (const [rule, branch, baseBranch, of, counts] of table) {
    it(`${rule}`, () => {
      assert.strictEqual(Repository.isDefaultBranch({ branch, baseBranch }, of), counts)
    })
  }

  it.prop("a run counts for one branch at most, except those that name none", [runContexts], ([run]) => {
    const branches = ["main", "master", "topic/100%_*?", "gh-readonly-queue/main/pr-1"]
    const found = branches.filter((branch) => Repository.isDefaultBranch(run, branch))
    const expected = run.branch === null ? branches : branches.slice(0, 3).filter((branch) => branch === run.branch)
    assert.deepStrictEqual(found, run.baseBranch === null ? expected : [])
  })
})

describe("Repository.policies", () => {
  it("without overrides they are the defaults", () => {
    assert.deepStrictEqual(Repository.policies(settings), {
      health: HealthPolicy.defaults,
      outage: Outage.defaults,
      quarantine: Quarantine.defaults,
      autoQuarantine: AutoQuarantine.defaults,
      issues: IssuePolicy.defaults,
      cost: CostPolicy.defaults
    })
  })

  it("an override changes its field alone", () => {
    const changed = Repository.policies({
      ...settings,
      health: { cleanPasses: 20 },
      outage: { failedShare: 0.5 },
      quarantine: { recoveredDays: 1 },
      autoQuarantinePolicy: { budget: 0 },
      issuePolicy: { mostPerDay: 0 },
      costPolicy: { personMinute: 1.5 }
    })
    assert.deepStrictEqual(changed, {
      health: { ...HealthPolicy.defaults, cleanPasses: 20 },
      outage: { ...Outage.defaults, failedShare: 0.5 },
      quarantine: { ...Quarantine.defaults, recoveredDays: 1 },
      autoQuarantine: { ...AutoQuarantine.defaults, budget: 0 },
      issues: { ...IssuePolicy.defaults, mostPerDay: 0 },
      cost: { ...CostPolicy.defaults, personMinute: 1.5 }
    })
  })

  it.prop("any settings give whole policies", [Repository.RepositorySettings], ([generated]) => {
    const policies = Repository.policies(generated)
    assert.isTrue(Schema.is(HealthPolicy.HealthPolicy)(policies.health))
    assert.isTrue(Schema.is(Outage.OutagePolicy)(policies.outage))
    assert.isTrue(Schema.is(Quarantine.QuarantinePolicy)(policies.quarantine))
    assert.isTrue(Schema.is(AutoQuarantine.AutoQuarantinePolicy)(policies.autoQuarantine))
  })

  it("settings that would make a rule meaningless are refused", () => {
    const isSettings = Schema.is(Repository.RepositorySettings)
    assert.isTrue(isSettings(settings))
    const faults = [{ health: { cleanPasses: 0 } }, { outage: { failedShare: 2 } }, { defaultBranch: "" }]
    for (const fault of [...faults, { autoQuarantine: true }, { health: null }]) {
      assert.isFalse(isSettings({ ...settings, ...fault }), JSON.stringify(fault))
    }
  })
})
