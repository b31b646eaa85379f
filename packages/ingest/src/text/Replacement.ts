/** Bytes that are invalid in their encoding: a decoder replaces them by U+FFFD. */

/** Counts what a decoder has replaced. */
export interface Counter {
  /** Compares a decoded text with its bytes: a U+FFFD that was sent as such is not a replacement. */
  readonly note: (text: string, bytes: Uint8Array) => void
  readonly count: () => number
}

/** Nothing replaced yet. The pieces may be cut anywhere; a U+FFFD of UTF-8 is found across two of them. */
export const counter = (): Counter => {
  let decoded = 0
  let sent = 0
  let tail: ReadonlyArray<number> = []
  return {
    note: (text, bytes) => {
      if (text.includes("\uFFFD")) {
        decoded += occurrences(text)
        sent += sentIn(tail, bytes)
      }
      tail = [...tail, ...bytes.subarray(-2)].slice(-2)
    },
    count: () => Math.max(0, decoded - sent)
  }
}

const occurrences = (text: string): number => text.split("\uFFFD").length - 1

/** The U+FFFD of UTF-8 that end within `bytes`. */
const sentIn = (tail: ReadonlyArray<number>, bytes: Uint8Array): number => {
  const at = (index: number): number => (index < 0 ? tail.at(index) : bytes[index]) ?? 0
  let count = 0
  for (let end = 0; end < bytes.length; end++) {
    if (at(end) === 0xbd && at(end - 1) === 0xbf && at(end - 2) === 0xef) count += 1
  }
  return count
}
