import { assert, describe, it } from "@effect/vitest"
import * as Tarball from "../src/published/Tarball.ts"

const origin: Tarball.Origin = { url: "git+https://example.com/a.git", directory: "packages/a" }

const whole: Tarball.Tarball = {
  files: ["package.json", "README.md", "LICENSE", "bin/a.js", "dist/index.js", "dist/index.d.ts", "src/index.ts"],
  manifest: {
    name: "a",
    description: "A package.",
    license: "Apache-2.0",
    keywords: ["a"],
    repository: origin,
    engines: { node: ">=22" },
    publishConfig: { access: "public", provenance: true },
    scripts: { prepack: "build" },
    exports: { ".": { source: "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" } },
    bin: { a: "./bin/a.js" },
    peerDependencies: { effect: "^4.0.0" }
  }
}

describe("what a published package must hold", () => {
  it("a package with everything has no problem", () => {
    assert.deepStrictEqual(Tarball.problems(whole, origin), [])
  })

  for (const missing of whole.files.filter((path) => path !== "package.json")) {
    it(`a tarball without ${missing} is refused, and the sentence names the file`, () => {
      const faulty = { ...whole, files: whole.files.filter((path) => path !== missing) }
      assert.deepStrictEqual(Tarball.problems(faulty, origin), [`the tarball lacks ${missing}`])
    })
  }

  const fields = ["description", "license", "keywords", "repository", "engines", "publishConfig", "scripts"] as const
  for (const field of fields) {
    it(`a manifest without ${field} is refused`, () => {
      const { [field]: _, ...manifest } = whole.manifest
      assert.notDeepEqual(Tarball.problems({ ...whole, manifest }, origin), [])
    })
  }

  it("a peer at one exact version is refused, because npm could install no other next to it", () => {
    const manifest = { ...whole.manifest, peerDependencies: { effect: "4.1.0" } }
    assert.deepStrictEqual(Tarball.problems({ ...whole, manifest }, origin), [
      "package.json lacks a range of versions for its peer effect"
    ])
  })

  for (const path of ["test/A.test.ts", "dist/tsconfig.tsbuildinfo", "packed/a-1.0.0.tgz"]) {
    it(`a tarball that holds ${path} is refused`, () => {
      const faulty = { ...whole, files: [...whole.files, path] }
      assert.deepStrictEqual(Tarball.problems(faulty, origin), [`the tarball holds ${path}`])
    })
  }
})
