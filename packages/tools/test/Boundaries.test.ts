import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { violations } from "../src/boundaries/Boundaries.ts"
import * as Room from "../src/boundaries/Room.ts"
import * as Wall from "../src/boundaries/Wall.ts"
import type { Manifest, Package } from "../src/Workspace.ts"

const rootManifest: Manifest = { name: "root", devDependencies: { vitest: "1.0.0" } }

/** A package whose manifest declares what its sources import, unless the test says otherwise. */
const fake = (
  folder: string,
  source: string,
  more: Partial<Manifest> & { readonly test?: string; readonly app?: string; path?: string } = {}
) => {
  const { app = "", path = `packages/${folder}/src/Some.ts`, test = "", ...manifest } = more
  const declared = [...source.matchAll(/["']((?:@\w[\w-]*\/)?\w[\w-]*)[^"']*["']/g)].map(([, name]) => [name, "1.0.0"])
  return {
    folder,
    manifest: { name: `@lazaret/${folder}`, dependencies: Object.fromEntries(declared), ...manifest },
    sources: [{ path, text: source }],
    tests: [{ path: `packages/${folder}/test/Some.test.ts`, text: test }],
    bundled: [{ path: `packages/${folder}/app/Some.tsx`, text: app }]
  } satisfies Package
}

const messages = (...packages: ReadonlyArray<Package>) =>
  violations(packages, rootManifest).map(({ line, message, path }) => `${path}:${line} ${message}`)

const sentences = (...packages: ReadonlyArray<Package>) =>
  violations(packages, rootManifest).map((each) => each.message)

describe("packages of ours", () => {
  const folders = Object.keys(Wall.ours)

  it("each package may import exactly the packages of its row", () => {
    for (const folder of folders) {
      for (const target of folders) {
        if (folder === target || Wall.dataOnly.has(folder)) continue
        const found = sentences(fake(folder, `export * from "@lazaret/${target}"`))
        const expected = (Wall.ours[folder] ?? []).includes(target)
          ? []
          : [`must not depend on @lazaret/${target}`, `${folder} must not import @lazaret/${target}`]
        assert.deepStrictEqual(found, expected, `${folder} -> ${target}`)
      }
    }
  })

  it("the import table has no cycle", () => {
    const reaches = (from: string, to: string): boolean =>
      (Wall.ours[from] ?? []).some((next) => next === to || reaches(next, to))
    for (const folder of folders) assert.isFalse(reaches(folder, folder), folder)
  })

  it("a package that may be absent is loaded with import() alone, and is an optional peer", () => {
    const optional = {
      dependencies: {},
      peerDependencies: { "@lazaret/server": "1.0.0" },
      peerDependenciesMeta: { "@lazaret/server": { optional: true } }
    }
    const dynamic = `const load = () => import("@lazaret/server/commands")`
    assert.deepStrictEqual(sentences(fake("cli", dynamic, optional)), [])
    assert.deepStrictEqual(sentences(fake("cli", dynamic)), ["must not depend on @lazaret/server"])
    assert.deepStrictEqual(sentences(fake("cli", `import "@lazaret/server/commands"`, optional)), [
      "cli must not import @lazaret/server"
    ])
    assert.deepStrictEqual(sentences(fake("http", dynamic, optional)), [
      "must not depend on @lazaret/server",
      "http must not import @lazaret/server"
    ])
  })

  it("only the server, and the benchmarks, may name an adapter", () => {
    const naming = folders.filter((each) => Wall.ours[each]?.includes("store-postgres"))
    assert.deepStrictEqual(naming, ["server", "benchmarks"])
  })

  it("http never imports a store package, whatever the form of the import", () => {
    for (const form of [
      `import { Store } from "@lazaret/store"`,
      `import type { Store } from "@lazaret/store"`,
      `import "@lazaret/store"`,
      `export * as Store from "@lazaret/store"`,
      `export { Store } from "@lazaret/store"`,
      `export const store = () => import("@lazaret/store")`,
      `export type Store = import("@lazaret/store").Store`
    ]) {
      assert.include(sentences(fake("http", form)), "http must not import @lazaret/store", form)
    }
  })

  it("an import in a comment or in a string does not count as an import", () => {
    assert.deepStrictEqual(sentences(fake("http", `// import "@lazaret/store"`, { dependencies: {} })), [])
    assert.deepStrictEqual(
      sentences(fake("http", "export const a = `import '@lazaret/store'`", { dependencies: {} })),
      []
    )
  })

  it("a package without a row in the table is refused", () => {
    assert.deepStrictEqual(sentences(fake("plugins", "")), ["plugins has no row in the import table"])
  })

  it("a violation names the file and the line", () => {
    assert.include(
      messages(fake("services", `\n\nimport "@lazaret/http"`)),
      "packages/services/src/Some.ts:3 services must not import @lazaret/http"
    )
  })
})

describe("reserved modules", () => {
  const others = (allowed: ReadonlyArray<string>) =>
    Object.keys(Wall.ours).filter((folder) => !Wall.dataOnly.has(folder) && !allowed.includes(folder))

  it("only store-postgres, and the benchmarks, may import SQL", () => {
    for (const module of ["effect/sql", "effect/sql/SqlClient", "@effect/sql-pg"]) {
      for (const folder of others(["store-postgres", "benchmarks"])) {
        assert.lengthOf(sentences(fake(folder, `import "${module}"`)), 1, `${folder} -> ${module}`)
      }
      assert.deepStrictEqual(sentences(fake("store-postgres", `import "${module}"`)), [])
    }
  })

  it("only api, http, server, the benchmarks and those that ask a server may import the HTTP modules of Effect", () => {
    for (const module of ["effect/http", "effect/http/HttpRouter", "effect/http-api"]) {
      const users = [
        "api",
        "http",
        "server",
        "benchmarks",
        ...(module === "effect/http-api" ? [] : ["cli", "forge-gitlab"])
      ]
      for (const folder of others(users)) {
        assert.lengthOf(sentences(fake(folder, `import "${module}"`)), 1, `${folder} -> ${module}`)
      }
      assert.deepStrictEqual(sentences(fake("http", `import "${module}"`)), [])
      assert.deepStrictEqual(sentences(fake("server", `import "${module}"`)), [])
    }
  })
})

describe("the domain is pure", () => {
  it("the domain may import the data modules of Effect, uuid, yaml and its own files", () => {
    const source = [
      `import { Option, type Result, Schema as S } from "effect"`,
      `import * as Order from "effect/Order"`,
      `import { v5 } from "uuid"`,
      `import { parse } from "yaml"`,
      `import * as Instant from "./Instant.ts"`
    ].join("\n")
    assert.deepStrictEqual(sentences(fake("domain", source)), [])
  })

  it("the domain must not import anything else", () => {
    for (const source of [
      `import { Effect } from "effect"`,
      `import type { Layer } from "effect"`,
      `export { Clock } from "effect"`,
      `import * as Everything from "effect"`,
      `import "effect/Random"`,
      `import "effect/sql"`,
      `import "effect/Schema/internal"`,
      `import "node:fs"`,
      `import "lodash"`,
      `import "@lazaret/store"`,
      `export type Effect = import("effect").Effect.Effect<void>`
    ]) {
      assert.isNotEmpty(sentences(fake("domain", source, { dependencies: {}, peerDependencies: {} })), source)
      assert.isNotEmpty(sentences(fake("domain", source)), source)
    }
  })

  it("only its testing entry may import generators", () => {
    const source = `import { Arbitrary } from "effect"`
    assert.deepStrictEqual(sentences(fake("domain", source, { path: "packages/domain/src/testing/Some.ts" })), [])
    assert.lengthOf(sentences(fake("domain", source)), 1)
  })

  it("pure code must not read the clock; a date made from an argument is allowed", () => {
    assert.lengthOf(sentences(fake("domain", "export const now = () => new Date()")), 1)
    assert.lengthOf(sentences(fake("ingest", "export const now = () => Date()")), 1)
    assert.deepStrictEqual(
      sentences(fake("domain", "export const iso = (at: number) => new Date(at).toISOString()")),
      []
    )
    assert.deepStrictEqual(sentences(fake("server", "export const now = () => new Date()")), [])
  })
})

describe("rooms", () => {
  const services = (path: string, target: string) =>
    sentences(
      fake("services", `import { x } from "${target}"`, { dependencies: {}, path: `packages/services/src/${path}` })
    )

  it("a module imports its own room and the rooms below it, and none above it", () => {
    assert.deepStrictEqual(services("failure/Triages.ts", "./Mark.ts"), [])
    assert.deepStrictEqual(services("failure/Triages.ts", "../health/Tests.ts"), [])
    assert.deepStrictEqual(services("failure/Triages.ts", "../quarantine/Quarantines.ts"), [
      'room "failure" must not import "../quarantine/Quarantines.ts": room "quarantine" lies above it'
    ])
  })

  it("a file directly in src may import every room", () => {
    assert.deepStrictEqual(services("Services.ts", "./platform/Publications.ts"), [])
  })

  it("a folder that is not a room of the package is refused", () => {
    assert.lengthOf(services("helpers/Text.ts", "../health/Tests.ts"), 1)
  })

  it("an exception holds for its file alone", () => {
    assert.deepStrictEqual(services("report/Ingestion.ts", "../quarantine/Automation.ts"), [])
    assert.lengthOf(services("report/Artifacts.ts", "../quarantine/Automation.ts"), 1)
  })

  it("each exception names a file that exists and an import that it makes", () => {
    for (const { from, to } of Room.exceptions) {
      const source = readFileSync(new URL(`../../../${from}`, import.meta.url), "utf8")
      const targets = [...source.matchAll(/from "(\.[^"]+)"/gu)].map(([, each = ""]) =>
        posix.join(posix.dirname(from), each)
      )
      assert.isTrue(
        targets.some((target) => target.startsWith(to)),
        from
      )
    }
  })
})

describe("paths and dynamic imports", () => {
  it("a relative import stays in its package", () => {
    assert.lengthOf(sentences(fake("store", `import "../../domain/src/Instant.ts"`, { dependencies: {} })), 1)
    assert.lengthOf(sentences(fake("store", "", { test: `import "../../domain/test/x.ts"` })), 1)
    assert.deepStrictEqual(sentences(fake("store", "", { test: `import "../src/Some.ts"` })), [])
  })

  it("a dynamic import names its module literally, but for the tools", () => {
    assert.lengthOf(sentences(fake("server", "export const load = (name: string) => import(name)")), 1)
    assert.deepStrictEqual(sentences(fake("tools", "export const load = (name: string) => import(name)")), [])
  })
})

describe("manifests", () => {
  const uses = `import "uuid"`

  it("an imported package is declared, as a dependency, a peer or an optional one", () => {
    assert.deepStrictEqual(sentences(fake("store", uses, { dependencies: {} })), ["imports uuid without declaring it"])
    assert.deepStrictEqual(sentences(fake("store", uses, { dependencies: {}, peerDependencies: { uuid: "1" } })), [])
    assert.deepStrictEqual(
      sentences(fake("store", uses, { dependencies: {}, optionalDependencies: { uuid: "1" } })),
      []
    )
  })

  it("a development dependency counts only in a private package, which is never installed", () => {
    const manifest = { dependencies: {}, devDependencies: { uuid: "1" } }
    assert.deepStrictEqual(sentences(fake("store", uses, manifest)), ["imports uuid without declaring it"])
    assert.deepStrictEqual(sentences(fake("tools", uses, { ...manifest, private: true })), [])
  })

  it("a declared package is imported", () => {
    assert.deepStrictEqual(sentences(fake("store", "", { dependencies: { uuid: "1" } })), [
      "declares uuid without importing it"
    ])
  })

  it("a dependency of ours follows the import table, even where no source imports it", () => {
    const manifest = { dependencies: {}, optionalDependencies: { "@lazaret/store-postgres": "1" } }
    assert.deepStrictEqual(sentences(fake("http", "", manifest)), ["must not depend on @lazaret/store-postgres"])
  })

  it("a test imports what its package or the workspace declares", () => {
    const test = `import "vitest"; import "@lazaret/store-postgres"`
    assert.deepStrictEqual(sentences(fake("http", "", { test })), [
      "a test imports @lazaret/store-postgres without declaring it"
    ])
    const devDependencies = { "@lazaret/store-postgres": "1" }
    assert.deepStrictEqual(sentences(fake("http", "", { test, devDependencies })), [])
  })
})

describe("what is bundled for a browser", () => {
  const devDependencies = { preact: "1", effect: "1", "@lazaret/api": "1", "@lazaret/domain": "1" }
  const bundle = (app: string) => sentences(fake("web", "", { app, devDependencies }))

  it("a browser file may import development dependencies, files of its package, and types of api", () => {
    const app = `import { render } from "preact"; import type { Wire } from "@lazaret/api"; import "./style.css"`
    assert.deepStrictEqual(bundle(app), [])
  })

  it("a bundled module imports no code of ours and no types of another package", () => {
    for (const [app, name] of [
      [`import { Api } from "@lazaret/api"`, "api"],
      [`import { type Wire } from "@lazaret/api"`, "api"],
      [`import type { Health } from "@lazaret/domain"`, "domain"]
    ] as const) {
      assert.deepStrictEqual(bundle(app), [`web must import no more than types, and only of api: not @lazaret/${name}`])
    }
  })

  it("a browser file must not import undeclared packages, Node modules, or files outside its package", () => {
    assert.deepStrictEqual(bundle(`import "left-pad"`), ["imports left-pad without declaring it"])
    assert.deepStrictEqual(bundle(`import { join } from "node:path"`), [`"node:path" is not there in a browser`])
    assert.deepStrictEqual(bundle(`import "../../http/src/Api.ts"`), [
      '"../../http/src/Api.ts" leaves the package: import it by its package name'
    ])
  })
})

describe("docstrings of errors", () => {
  const error = (docs: string) => `${docs}export class Lost extends Schema.TaggedError<Lost>()(tag, {}) {}\n`
  const asked = ['"Lost" needs a docstring with "**To do:**"']

  it("an exported error without a docstring, or with one that says nothing to do, is a violation", () => {
    assert.deepStrictEqual(sentences(fake("store", error(""))), asked)
    assert.deepStrictEqual(sentences(fake("store", error("/** It is lost. */\n"))), asked)
    const other = "/**\n * Another.\n *\n * **To do:** Wait.\n */\nexport const other = 1\n\n"
    assert.deepStrictEqual(sentences(fake("store", other + error("/** It is lost. */\n"))), asked)
    assert.deepStrictEqual(messages(fake("store", other + error(""))), [`packages/store/src/Some.ts:8 ${asked[0]}`])
  })

  it("an error whose docstring says what to do is not a violation", () => {
    const docs = "/**\n * It is lost.\n *\n * **To do:** Try again.\n */\n"
    assert.deepStrictEqual(sentences(fake("store", error(docs))), [])
  })
})
