import { assert, describe, it } from "@effect/vitest"
import { PullHead } from "@lazaret/domain"
import * as fc from "fast-check"

const owner = fc.constantFrom("ada", "eve", "acme")
const commits = fc.constantFrom("c1", "c2")
const runs = fc.array(
  fc.record({
    branch: fc.oneof(
      fc.constant("main"),
      owner.map((each) => `${each}:topic`)
    ),
    commit: commits
  }),
  { maxLength: 6 }
)
const heads = fc.array(fc.record({ number: fc.nat(3), commit: commits, owner, isFork: fc.boolean() }), { maxLength: 4 })
const isFork = ({ branch }: { readonly branch: string }) => branch.includes(":")

describe("PullHead", () => {
  it("every run is counted or listed apart, and those apart are of forks", () => {
    fc.assert(
      fc.property(runs, heads, (all, named) => {
        for (const { counted, forks } of [
          PullHead.ofCommit(all, named),
          PullHead.ofPull(all, named),
          PullHead.ofRun(all)
        ]) {
          assert.strictEqual(counted.length + forks.length, all.length)
          assert.isTrue(forks.every(isFork))
        }
      })
    )
  })

  it("a fork's run that the platform does not name counts for no commit and no pull request", () => {
    fc.assert(
      fc.property(runs, heads, (all, named) => {
        for (const { counted } of [PullHead.ofCommit(all, named), PullHead.ofPull(all, named)]) {
          assert.isTrue(counted.filter(isFork).every((run) => PullHead.names(named, run)))
        }
      })
    )
  })

  it("runs of forks do not change a commit with a run or a head of the repository itself", () => {
    fc.assert(
      fc.property(runs, heads, (all, named) => {
        const own = all.filter((run) => !isFork(run))
        fc.pre(own.length > 0)
        assert.deepStrictEqual(PullHead.ofCommit(all, named).counted, own)
      })
    )
    const run = { branch: "ada:topic", commit: "c1" }
    const fork = { number: 1, commit: "c1", owner: "ada", isFork: true }
    assert.deepStrictEqual(PullHead.ofCommit([run], [fork]).counted, [run])
    const own = { number: 2, commit: "c1", owner: "acme", isFork: false }
    assert.deepStrictEqual(PullHead.ofCommit([run], [fork, own]).counted, [])
  })
})
