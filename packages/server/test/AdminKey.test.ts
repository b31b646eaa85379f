import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { AdminKeyFile } from "@lazaret/cli"
import { Effect, FileSystem, Option, Redacted } from "effect"
import * as AdminKey from "../src/AdminKey.ts"

const folder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

const mode = (path: string) =>
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(path)),
    (info) => info.mode & 0o777
  )

layer(NodeServices.layer)("the admin key", (it) => {
  it.effect("is made once, for this user only, and used again", () =>
    Effect.gen(function* () {
      const data = `${yield* folder}/new/data`
      const made = yield* AdminKey.load(Option.none(), data)
      const again = yield* AdminKey.load(Option.none(), data)
      assert.deepStrictEqual([made._tag, again._tag], ["Made", "Kept"])
      assert.match(Redacted.value(made.secret), /^lzr_admin_[\w-]{43}$/)
      assert.strictEqual(Redacted.value(again.secret), Redacted.value(made.secret))
      assert.strictEqual(yield* mode(data), 0o700)
      assert.strictEqual(yield* mode(`${data}/admin-key`), 0o600)
      assert.deepStrictEqual(
        Option.map(yield* AdminKeyFile.read(data), Redacted.value),
        Option.some(Redacted.value(made.secret))
      )
    })
  )

  it.effect("is one key when several servers start at once", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const keys = yield* Effect.all(
        Array.from({ length: 8 }, () => AdminKey.load(Option.none(), data)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(keys.map(({ secret }) => Redacted.value(secret))).size, 1)
      assert.strictEqual(keys.filter(({ _tag }) => _tag === "Made").length, 1)
    })
  )

  it.effect("that is set is used, and nothing is written", () =>
    Effect.gen(function* () {
      const data = `${yield* folder}/data`
      const key = yield* AdminKey.load(Option.some(Redacted.make("set")), data)
      assert.deepStrictEqual([key._tag, Redacted.value(key.secret)], ["Environment", "set"])
      assert.isFalse(yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.exists(data)))
    })
  )

  it.effect("that others could read becomes private", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const files = yield* FileSystem.FileSystem
      yield* files.writeFileString(`${data}/admin-key`, "mine\n", { mode: 0o644 })
      assert.strictEqual(Redacted.value((yield* AdminKey.load(Option.none(), data)).secret), "mine")
      assert.strictEqual(yield* mode(`${data}/admin-key`), 0o600)
    })
  )

  it.effect("cannot be kept in a folder that cannot be made, or in an empty file: one line says so", () =>
    Effect.gen(function* () {
      const data = yield* folder
      const files = yield* FileSystem.FileSystem
      yield* files.writeFileString(`${data}/admin-key`, "")
      for (const place of [data, `${data}/admin-key/below`]) {
        const failure = yield* Effect.flip(AdminKey.load(Option.none(), place))
        assert.strictEqual(failure.exitCode, 3)
        assert.include(failure.message, place)
        assert.notInclude(failure.message, "\n")
      }
      assert.deepStrictEqual(yield* AdminKeyFile.read(data), Option.none())
      assert.deepStrictEqual(yield* AdminKeyFile.read(`${data}/nothing`), Option.none())
    })
  )
})
