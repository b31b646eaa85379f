/** The limits of one upload: they bound memory and time for any input. */

/**
 * The limits of one upload.
 *
 * **Details**
 *
 * - `cases`: test cases as listed, reruns included.
 * - `nameLength`: characters (code points) of a test name; a longer one is cut (see `Names.fit`).
 * - `refusedNameLength`: UTF-16 units from which a test name is refused: only a broken reporter writes such a name.
 * - `messageBytes`, `stacktraceBytes`: UTF-8 bytes, the mark of the cut included.
 * - `typeLength`, `pathLength`: UTF-16 units.
 * - `depth`, `elements`, `tagLength`: nesting, number and length (UTF-16 units) of XML elements.
 * - `jsonLength`: bytes (of a text: UTF-16 units) of a JSON body, which is read at once.
 * - `spans`, `spanBytes`: OTLP spans in one body, test cases or not, and the size of one, or of one resource.
 * - `warnings`: warnings in one answer; further ones are only counted.
 */
export interface Limits {
  readonly cases: number
  readonly nameLength: number
  readonly refusedNameLength: number
  readonly messageBytes: number
  readonly stacktraceBytes: number
  readonly typeLength: number
  readonly pathLength: number
  readonly depth: number
  readonly elements: number
  readonly tagLength: number
  readonly jsonLength: number
  readonly spans: number
  readonly spanBytes: number
  readonly warnings: number
}

/** The limits in force unless others are given (`docs/reference/limits.md`). */
export const standard: Limits = {
  cases: 200_000,
  nameLength: 10_000,
  refusedNameLength: 100_000,
  messageBytes: 8 * 1024,
  stacktraceBytes: 64 * 1024,
  typeLength: 1000,
  pathLength: 4096,
  depth: 100,
  elements: 4_000_000,
  tagLength: 16 * 1024 * 1024,
  jsonLength: 64 * 1024 * 1024,
  spans: 1_000_000,
  spanBytes: 4 * 1024 * 1024,
  warnings: 50
}
