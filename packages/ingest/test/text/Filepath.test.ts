import { assert, describe, it } from "@effect/vitest"
import * as Filepath from "../../src/text/Filepath.ts"

/** Folders in which CI services check out a repository, as parts. */
const checkouts: ReadonlyArray<ReadonlyArray<string>> = [
  ["", "home", "runner", "work", "shop", "shop"],
  ["", "Users", "runner", "work", "shop", "shop"],
  ["", "__w", "shop", "shop"],
  ["", "opt", "actions", "_work", "shop", "shop"],
  ["D:", "a", "shop", "shop"],
  ["", "github", "workspace"],
  ["", "home", "vsts", "work", "1", "s"],
  ["", "builds", "acme", "shop"],
  ["", "home", "gitlab-runner", "builds", "t1_x-Yz_9", "0", "acme", "shop"],
  ["", "var", "lib", "jenkins", "workspace", "shop@2"],
  ["", "home", "circleci", "project"],
  ["", "opt", "atlassian", "pipelines", "agent", "build"],
  ["", "home", "travis", "build", "acme", "shop"],
  ["", "drone", "src"],
  ["", "var", "lib", "buildkite-agent", "builds", "agent-1", "acme", "shop"]
]

describe("Filepath.relative", () => {
  it("a path below the checkout folder of a CI service is relative to that folder", () => {
    for (const parts of checkouts) {
      const written = [...parts, "src", "cart.test.ts"].join("/")
      assert.strictEqual(Filepath.relative(written), "src/cart.test.ts", written)
    }
  })

  it("an absolute path in any other folder stays whole", () => {
    for (const parts of [
      ["", "home", "ada", "shop"],
      ["", "home", "runner", "work", "shop", "cart"]
    ]) {
      const written = [...parts, "src", "cart.test.ts"].join("/")
      assert.strictEqual(Filepath.relative(written), written)
    }
  })
})
