import { assert, describe, it } from "@effect/vitest"
import * as Release from "../src/release/Release.ts"

const before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-01\n\n- The first.\n"

describe("what a release changes", () => {
  it("the unreleased changes move below the version, and an empty section is above it", () => {
    assert.strictEqual(
      Release.changelog(before, "0.2.0", "2026-12-01"),
      before.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n")
    )
  })

  it("the notes of the version are what was unreleased", () => {
    assert.strictEqual(Release.notes(Release.changelog(before, "0.2.0", "d") ?? "", "0.2.0"), "### Added\n\n- A thing.")
    assert.strictEqual(Release.notes(before, "0.1.0"), "- The first.")
    assert.strictEqual(Release.notes(before, "0.3.0"), null)
  })

  it("a version is not released twice, and not without a change", () => {
    const released = Release.changelog(before, "0.2.0", "2026-12-01") ?? ""
    assert.strictEqual(Release.changelog(released, "0.3.0", "2026-12-02"), null)
    assert.strictEqual(Release.changelog(before, "0.1.0", "2026-12-02"), null)
  })

  it("a manifest gets the version, and so do its dependencies on what is released with it", () => {
    const text = JSON.stringify({ name: "a", version: "0.1.0", dependencies: { b: "0.1.0", c: "0.1.0" } })
    assert.deepStrictEqual(JSON.parse(Release.manifest(text, "0.2.0", new Set(["a", "b"]))), {
      name: "a",
      version: "0.2.0",
      dependencies: { b: "0.2.0", c: "0.1.0" }
    })
  })

  it("every package is published after what it depends on", () => {
    const dependencies = new Map([
      ["server", ["api", "domain"]],
      ["api", ["domain", "elsewhere"]],
      ["domain", []]
    ])
    assert.deepStrictEqual(Release.order(dependencies), ["domain", "api", "server"])
  })
})
