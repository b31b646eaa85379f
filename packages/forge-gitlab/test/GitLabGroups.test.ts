import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as fc from "fast-check"
import { GitLabGroups } from "../src/index.ts"

const groups = GitLabGroups.parse("backend=acme/platform/backend, Tools=acme/tools") ?? GitLabGroups.none

describe("the group that an owner stands for", () => {
  it("an owner stands for the group with its name, or the nested one that the settings give it", () => {
    assert.strictEqual(GitLabGroups.pathOf(groups, { owner: "acme", repository: "w" }), "acme/w")
    assert.strictEqual(GitLabGroups.pathOf(groups, { owner: "Backend", repository: "w" }), "acme/platform/backend/w")
    assert.deepStrictEqual(Option.getOrNull(GitLabGroups.refOf(groups, "Acme/Platform/Backend/w")), {
      owner: "backend",
      repository: "w"
    })
    assert.isTrue(Option.isNone(GitLabGroups.refOf(groups, "acme/platform/w")), "a nested group without an owner")
  })

  it("an owner is never the top-level group whose name was given to another one", () => {
    assert.isTrue(Option.isNone(GitLabGroups.refOf(groups, "backend/w")))
  })

  it("every repository is found again by the path of its project", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/u)
    fc.assert(
      fc.property(fc.constantFrom("acme", "backend", "tools", "other"), name, (owner, repository) => {
        const found = GitLabGroups.refOf(groups, GitLabGroups.pathOf(groups, { owner, repository }))
        assert.deepStrictEqual(Option.getOrNull(found), { owner, repository })
      }),
      { numRuns: 100 }
    )
  })

  it("a text that names an owner or a group twice, or a path that leaves the group, is refused", () => {
    for (const text of ["a=b,a=c", "a=b,c=b", "a=b/../c", "a", "=b", "a=", "a_b=c", "a=b//c"]) {
      assert.isNull(GitLabGroups.parse(text), text)
    }
  })
})
