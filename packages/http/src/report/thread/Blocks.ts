/** Bytes that are gathered piece by piece, and freed without waiting for the garbage collector. */

/** Blocks of bytes, in order; each has a buffer of its own. */
export type Blocks = ReadonlyArray<Uint8Array<ArrayBuffer>>

/** Gathers pieces of bytes. */
export interface Gatherer {
  /** The number of bytes so far. */
  readonly length: () => number
  /** Copies a piece. */
  readonly write: (piece: Uint8Array) => void
  /** All bytes; nothing is left behind. */
  readonly take: () => Blocks
}

/**
 * Gathers pieces in blocks.
 *
 * **Details**
 *
 * A piece may lie in a buffer that holds more than it, and would keep all of that in memory.
 */
export const make = (): Gatherer => {
  let full: Array<Uint8Array<ArrayBuffer>> = []
  let last = new Uint8Array(0)
  let used = 0
  let length = 0
  return {
    length: () => length,
    write: (piece) => {
      length += piece.length
      for (let start = 0; start < piece.length;) {
        if (used === last.length) {
          if (used > 0) full.push(last)
          last = new Uint8Array(Math.min(blockLength, Math.max(smallest, piece.length - start, length)))
          used = 0
        }
        const part = piece.subarray(start, start + last.length - used)
        last.set(part, used)
        used += part.length
        start += part.length
      }
    },
    take: () => {
      const blocks = [...full, last.subarray(0, used)]
      full = []
      last = new Uint8Array(0)
      used = 0
      return blocks
    }
  }
}

/** The bytes of blocks in one buffer. The blocks are empty afterwards: their memory is free at once. */
export const join = (blocks: Blocks): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const block of blocks) {
    all.set(block, offset)
    offset += block.length
    block.buffer.transfer(0)
  }
  return all
}

const smallest = 4096
const blockLength = 1_048_576
