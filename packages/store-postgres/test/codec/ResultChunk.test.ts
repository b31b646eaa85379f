import { assert, describe, it } from "@effect/vitest"
import { Retention } from "@lazaret/domain"
import { Result } from "effect"
import * as fc from "fast-check"
import * as Header from "../../src/codec/Header.ts"
import * as ResultChunk from "../../src/codec/ResultChunk.ts"
import { undetected, withVersion } from "../support/packed.ts"

const texts = fc.option(fc.constantFrom("", "Error", "src/\u{1f600}.ts", '"\\'))

const drawn = fc.record({
  slot: fc.oneof(fc.nat(3), fc.nat(63)),
  ordinal: fc.oneof(fc.nat(3), fc.nat(2 ** 31)),
  at: fc.oneof(fc.nat(60_000), fc.nat(3 * ResultChunk.span)).map((at) => 1_779_278_400_000 + at),
  durationMs: fc.oneof(
    fc.nat(10_000_000).map((us) => us / 1000),
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((duration) => duration + 0)
  ),
  conclusion: fc.constantFrom("passed" as const, "failed" as const, "skipped" as const),
  flaky: fc.boolean(),
  reruns: fc.oneof(fc.nat(4), fc.nat(2 ** 31)),
  exceptionType: texts,
  source: fc.option(fc.nat(ResultChunk.maximumSource)),
  filepath: texts,
  functionName: texts
})

const executionOf = (draw: ResultChunk.PackedExecution): ResultChunk.PackedExecution =>
  draw.source === null ? draw : { ...draw, filepath: null, functionName: null }

const passed: ResultChunk.PackedExecution = {
  slot: 4,
  ordinal: 0,
  at: 1_779_278_400_000,
  durationMs: 1,
  conclusion: "passed",
  flaky: false,
  reruns: 0,
  exceptionType: null,
  source: 0,
  filepath: null,
  functionName: null
}

/** Executions of one upload: a test has each ordinal once. */
const uploads = fc.tuple(fc.boolean(), fc.array(drawn, { maxLength: 90 })).map(([isFull, list]) => {
  const first = list[0]
  const all = first === undefined || !isFull ? [] : Array.from({ length: 64 }, (_, slot) => ({ ...first, slot }))
  const distinct = new Map([...list, ...all].map((draw) => [`${draw.slot}.${draw.ordinal}`, executionOf(draw)]))
  return [...distinct.values()]
})

const unpack = (chunks: ReadonlyArray<ResultChunk.ResultChunk>, only?: number) =>
  chunks.flatMap((chunk) => Result.getOrThrow(ResultChunk.unpack(chunk, only)))

const sorted = (executions: ReadonlyArray<ResultChunk.PackedExecution>) =>
  executions.toSorted((a, b) => a.slot - b.slot || a.ordinal - b.ordinal)

describe("ResultChunk", () => {
  it("ResultChunk unpacks the executions of an upload as they were packed", () => {
    fc.assert(
      fc.property(uploads, (executions) => {
        assert.deepStrictEqual(sorted(unpack(ResultChunk.pack(executions))), sorted(executions))
      })
    )
  })

  it("a chunk spans neither two weeks nor more than its longest span", () => {
    const monday = Date.UTC(2026, 4, 18)
    fc.assert(
      fc.property(uploads, fc.nat(2 * ResultChunk.span), (executions, shift) => {
        const moved = executions.map((execution) => ({
          ...execution,
          at: execution.at - 1_779_278_400_000 + monday - shift
        }))
        for (const chunk of ResultChunk.pack(moved)) {
          for (const { at } of unpack([chunk])) {
            assert.strictEqual(Retention.startOfWeek(at), Retention.startOfWeek(chunk.at))
            assert.isBelow(at - chunk.at, ResultChunk.span)
          }
        }
      })
    )
  })

  it("ResultChunk unpacks the executions of one test alone", () => {
    fc.assert(
      fc.property(uploads, fc.nat(63), (executions, slot) => {
        const chunks = ResultChunk.pack(executions)
        assert.deepStrictEqual(sorted(unpack(chunks, slot)), sorted(executions.filter((each) => each.slot === slot)))
      })
    )
  })

  it("ResultChunk puts executions into one chunk that are less than its span apart, and begins it at the earliest", () => {
    fc.assert(
      fc.property(uploads, (executions) => {
        for (const chunk of ResultChunk.pack(executions)) {
          const instants = unpack([chunk]).map(({ at }) => at)
          assert.strictEqual(chunk.at, Math.min(...instants))
          assert.isBelow(Math.max(...instants) - chunk.at, ResultChunk.span)
        }
      })
    )
  })

  it("ResultChunk needs nine bytes for an ordinary execution", () => {
    const all = Array.from({ length: 64 }, (_, slot) => ({
      slot,
      ordinal: 0,
      at: 1000 + slot,
      durationMs: 1.5,
      conclusion: "passed" as const,
      flaky: false,
      reruns: 0,
      exceptionType: null,
      source: 1,
      filepath: null,
      functionName: null
    }))
    const [chunk] = ResultChunk.pack(all)
    assert.strictEqual(chunk?.at, 1000)
    assert.strictEqual(chunk?.payload.length, ResultChunk.layout.records + 64 * 9)
  })

  it("a chunk of an unknown version is refused", () => {
    const [chunk] = ResultChunk.pack([passed])
    const payload = withVersion(chunk?.payload ?? new Uint8Array(0), 2)
    const refused = Result.getOrThrow(Result.flip(ResultChunk.unpack({ at: passed.at, payload })))
    assert.deepInclude(refused, { codec: "ResultChunk", fault: "unknown version 2" })
  })

  it("every proper prefix and every flipped bit of a chunk is refused, also for one test", () => {
    fc.assert(
      fc.property(uploads, fc.nat(63), (executions, slot) => {
        for (const { at, payload } of ResultChunk.pack(executions.slice(0, 8))) {
          assert.deepStrictEqual(
            undetected(payload, (damaged) => ResultChunk.unpack({ at, payload: damaged })),
            []
          )
          assert.deepStrictEqual(
            undetected(payload, (damaged) => ResultChunk.unpack({ at, payload: damaged }, slot)),
            []
          )
        }
      }),
      { numRuns: 20 }
    )
  })

  it("a chunk under another instant is refused", () => {
    fc.assert(
      fc.property(uploads, fc.integer({ min: 1, max: 2 ** 31 }), (executions, shift) => {
        for (const { at, payload } of ResultChunk.pack(executions)) {
          assert.isTrue(Result.isFailure(ResultChunk.unpack({ at: at + shift, payload })))
        }
      })
    )
  })

  it("a chunk with a wrong count, tests out of order or unknown conclusions is refused behind a valid checksum", () => {
    const { conclusionShift, count, records, width, word } = ResultChunk.layout
    const [chunk] = ResultChunk.pack([passed, { ...passed, slot: 5 }])
    assert.isDefined(chunk)
    const changes: ReadonlyArray<readonly [index: number, value: number]> = [
      [count, 3],
      [count, 255],
      [count + 3, 255],
      [records, 6],
      [records + width, 64],
      [records + word + 3, 3 << (conclusionShift - 24)]
    ]
    for (const [index, value] of changes) {
      const payload = chunk.payload.slice()
      payload[index] = value
      Header.seal(payload, ResultChunk.version, chunk.at)
      assert.isTrue(Result.isFailure(ResultChunk.unpack({ at: chunk.at, payload })), `${index} ${value}`)
    }
  })
})
