import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Archive } from "@lazaret/ingest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { Zip } from "effect/encoding"

const text = new TextDecoder()

const joined = (pieces: Iterable<Uint8Array>): Uint8Array => Buffer.concat([...pieces])

const zipOf = (...entries: ReadonlyArray<Zip.ContentEntry | Zip.Entry>) =>
  Stream.fromIterable(entries).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runCollect,
    Effect.map(joined),
    Effect.orDie
  )

/** Reads an archive that arrives in pieces of this many bytes: the paths and texts of its reports, or the refusal. */
const read = (bytes: Uint8Array, { limits = Archive.standard, size = 1000 } = {}) =>
  Archive.files(
    Stream.fromIterable(
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    ),
    limits
  ).pipe(
    Stream.mapEffect(({ bytes: body, path }) =>
      Effect.map(Stream.runCollect(body), (pieces) => [path, text.decode(joined(pieces))] as const)
    ),
    Stream.runCollect,
    Effect.catchTag("ParseError", ({ reason }) => Effect.succeed(reason))
  )

const report = `<testsuite><testcase name="adds"/></testsuite>`

const changed = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  copy[at] = value
  return copy
}

describe("Archive.files", () => {
  test("files with names of reports are read, and the others are passed over", function* () {
    const zip = yield* zipOf(
      Zip.directory("reports"),
      Zip.file("reports/junit.xml", report),
      Zip.file("reports/video.webm", "x".repeat(5000)),
      Zip.file("reports/inner.zip", yield* zipOf(Zip.file("junit.xml", report))),
      Zip.file("__MACOSX/._junit.xml", "x"),
      Zip.fileStream("../ctrf.JSON", Stream.make(new TextEncoder().encode("{}")))
    )
    assert.isTrue(Archive.isArchive(zip))
    for (const size of [1, 7, 1000]) {
      assert.deepStrictEqual(yield* read(zip, { size }), [
        ["reports/junit.xml", report],
        ["../ctrf.JSON", "{}"]
      ])
    }
  })

  test("a bomb is refused at a limit, whether its bytes are read or passed over", function* () {
    const zeros = Stream.fromIterable(Array.from({ length: 64 }, () => new Uint8Array(65_536)))
    const limits = { files: 3, reportBytes: 1_000_000, bytes: 2_000_000 }
    for (const name of ["bomb.xml", "bomb.bin"]) {
      const bomb = yield* zipOf(Zip.fileStream(name, zeros))
      assert.isBelow(bomb.length, 10_000)
      assert.strictEqual(yield* read(bomb, { limits }), "too_large", name)
    }
    const half = yield* zipOf(...["a.xml", "b.xml"].map((name) => Zip.file(name, new Uint8Array(600_000))))
    assert.strictEqual(yield* read(half, { limits }), "too_large", "the sum of two files")
    const many = yield* zipOf(...["a", "b", "c", "d"].map((name) => Zip.file(name, "")))
    assert.strictEqual(yield* read(many, { limits }), "too_large", "four files")
  })

  test("an encrypted archive is refused, and so is a file that is not an archive", function* () {
    const zip = yield* zipOf(Zip.file("junit.xml", report))
    // Bit 0 of the flags in the local header marks an encrypted file.
    assert.strictEqual(yield* read(changed(zip, 6, (zip[6] ?? 0) | 1)), "unsupported")
    assert.strictEqual(yield* read(new TextEncoder().encode(report)), "unsupported")
    assert.strictEqual(yield* read(new Uint8Array()), "malformed")
    assert.isFalse(Archive.isArchive(new TextEncoder().encode(report)))
  })

  it.effect.prop(
    "an archive that is cut off or changed gives its files unchanged, or is refused",
    {
      cut: Arbitrary.schema(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))),
      value: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
    },
    ({ cut, value }) =>
      Effect.gen(function* () {
        const zip = yield* zipOf(Zip.file("a.xml", report), Zip.file("b.xml", report.repeat(50)))
        const at = Math.floor(cut * zip.length)
        const whole: ReadonlyArray<unknown> = [report, report.repeat(50)]
        for (const damaged of [zip.subarray(0, at), changed(zip, at, value)]) {
          const found = yield* read(damaged)
          if (typeof found === "string") continue
          for (const [, content] of found) assert.include(whole, content)
        }
      })
  )
})
