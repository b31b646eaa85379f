import { assert, describe, it } from "@effect/vitest"
import { Retention } from "@lazaret/domain"
import { Result } from "effect"
import * as fc from "fast-check"
import * as ResultChunk from "../../src/codec/ResultChunk.ts"

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

/** What SQL leaves of a chunk for one test (`ExecutionRows`). */
const cut = (chunk: ResultChunk.ResultChunk, slot: number): ResultChunk.ResultChunk => {
  const { width } = ResultChunk
  if ((chunk.flags & ResultChunk.flags.dense) === 0) return chunk
  const own = chunk.payload.subarray(slot * width, (slot + 1) * width)
  return { ...chunk, payload: Uint8Array.from([...own, ...chunk.payload.subarray(64 * width)]) }
}

describe("ResultChunk", () => {
  it("unpacks the executions of an upload as they were packed", () => {
    fc.assert(
      fc.property(uploads, (executions) => {
        assert.deepStrictEqual(sorted(unpack(ResultChunk.pack(executions))), sorted(executions))
      })
    )
  })

  it("never spans two weeks, nor more than the span", () => {
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

  it("yields the executions of one test from what is cut out for it", () => {
    fc.assert(
      fc.property(uploads, fc.nat(63), (executions, slot) => {
        const chunks = ResultChunk.pack(executions).map((chunk) => cut(chunk, slot))
        assert.deepStrictEqual(sorted(unpack(chunks, slot)), sorted(executions.filter((each) => each.slot === slot)))
      })
    )
  })

  it("puts executions into one chunk that are less than its span apart, and begins it at the earliest", () => {
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

  it("needs nine bytes for an ordinary execution, and is dense when every test of the block ran", () => {
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
    const [dense] = ResultChunk.pack(all)
    const [sparse] = ResultChunk.pack(all.slice(1))
    assert.deepInclude(dense, { at: 1000, details: null, flags: 256 + ResultChunk.flags.dense })
    assert.strictEqual(dense?.payload.length, 64 * 9)
    assert.deepInclude(sparse, { at: 1001, details: null, flags: 256 })
  })

  it("refuses a version that it does not know", () => {
    const chunk = { at: 0, flags: 2 << 8, payload: new Uint8Array(0), details: null }
    const refused = Result.getOrThrow(Result.flip(ResultChunk.unpack(chunk)))
    assert.deepInclude(refused, { codec: "ResultChunk", version: 2 })
  })
})
