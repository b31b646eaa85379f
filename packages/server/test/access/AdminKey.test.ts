import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { AdminKeyFile } from "@lazaret/cli"
import { Effect, FileSystem, Option, Redacted } from "effect"
import * as AdminKey from "../../src/access/AdminKey.ts"

const folder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

const mode = (path: string) =>
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(path)),
    (info) => info.mode & 0o777
  )

/** The server does not start with the key of a data folder, and says so in one line that names `path`. */
const refusal = Effect.fnUntraced(function* (data: string, path: string) {
  const failure = yield* Effect.flip(AdminKey.load(Option.none(), data))
  assert.strictEqual(failure.exitCode, 3)
  assert.include(failure.message, path)
  assert.notInclude(failure.message, "\n")
})

layer(NodeServices.layer)("AdminKey", (it) => {
  const test = stepsOf(it)
  test("the admin key is made once, readable by this user only, and used again", function* () {
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

  test("servers that start at once use one admin key", function* () {
    const data = yield* folder
    const keys = yield* Effect.all(
      Array.from({ length: 8 }, () => AdminKey.load(Option.none(), data)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(new Set(keys.map(({ secret }) => Redacted.value(secret))).size, 1)
    assert.strictEqual(keys.filter(({ _tag }) => _tag === "Made").length, 1)
  })

  test("an admin key from the settings is used, and nothing is written", function* () {
    const data = `${yield* folder}/data`
    const key = yield* AdminKey.load(Option.some(Redacted.make("set")), data)
    assert.deepStrictEqual([key._tag, Redacted.value(key.secret)], ["Environment", "set"])
    assert.isFalse(yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.exists(data)))
  })

  test("an admin-key file that others could read becomes private", function* () {
    const data = yield* folder
    const files = yield* FileSystem.FileSystem
    yield* files.writeFileString(`${data}/admin-key`, "an-admin-key-of-mine\n", { mode: 0o644 })
    assert.strictEqual(Redacted.value((yield* AdminKey.load(Option.none(), data)).secret), "an-admin-key-of-mine")
    assert.strictEqual(yield* mode(`${data}/admin-key`), 0o600)
  })

  test("an admin-key file without a key that a header can carry is refused in one line", function* () {
    const data = yield* folder
    const files = yield* FileSystem.FileSystem
    const path = `${data}/admin-key`
    const contents = ["", "short\n", "two words, and long enough", Uint8Array.of(0xff, 0xfe, 0, 1, ...Buffer.alloc(32))]
    for (const content of contents) {
      yield* files.writeFile(path, typeof content === "string" ? Buffer.from(content) : content)
      yield* refusal(data, path)
    }
    yield* files.writeFileString(path, "")
    assert.deepStrictEqual(yield* AdminKeyFile.read(data), Option.none())
    assert.deepStrictEqual(yield* AdminKeyFile.read(`${data}/nothing`), Option.none())
  })

  test("a data folder that cannot be made is refused in one line", function* () {
    const data = yield* folder
    yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(`${data}/file`, ""))
    yield* refusal(`${data}/file/below`, `${data}/file/below`)
  })
})
