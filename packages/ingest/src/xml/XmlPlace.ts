/** The position of the XML parser in a file, as line and column. */

/** A line and a column, both counted from 1; columns in code points. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Remembers the latest pieces of a file, so that a fault is placed where it begins. */
export interface XmlPlace {
  /** The next piece of the file, before it is parsed, and where it begins. No line break lies across two pieces. */
  readonly next: (piece: string, origin: Place) => void
  /** The place of a character by its offset in the file; the closest known one when it is too long ago. */
  readonly at: (offset: number) => Place
  /** The offset of the `count`-th `text` before `end`, 1 for the closest; -1 when it is too long ago. */
  readonly before: (text: string, end: number, count: number) => number
  /** The text between two offsets, as far as it is remembered. */
  readonly between: (start: number, end: number) => string
  /** The offset behind the last piece. */
  readonly end: () => number
}

/** No piece yet. Two pieces are remembered: a fault is found within the piece after the one in which it begins. */
export const make = (): XmlPlace => {
  let earlier: Piece = { text: "", start: 0, origin: { line: 1, column: 1 } }
  let latest = { ...earlier }
  const text = () => earlier.text + latest.text
  const within = (offset: number): number => Math.min(Math.max(0, offset - earlier.start), text().length)
  return {
    next: (piece, origin) => {
      if (latest.text.length < shortest) {
        latest = { ...latest, text: latest.text + piece }
        return
      }
      earlier = latest
      latest = { text: piece, start: earlier.start + earlier.text.length, origin }
    },
    at: (offset) => placeIn(offset < latest.start ? earlier : latest, offset),
    before: (wanted, end, count) => {
      let index = within(end)
      for (let left = count; left > 0 && index >= 0; left--) {
        index = index === 0 ? -1 : text().lastIndexOf(wanted, index - 1)
      }
      return index === -1 ? -1 : earlier.start + index
    },
    between: (from, to) => text().slice(within(from), within(to)),
    end: () => latest.start + latest.text.length
  }
}

/** Pieces that are shorter are joined. */
const shortest = 32_768

interface Piece {
  readonly text: string
  readonly start: number
  readonly origin: Place
}

const placeIn = ({ origin, start, text }: Piece, offset: number): Place => {
  const lines = text.slice(0, Math.max(0, offset - start)).split(/\r\n|\r|\n/)
  const column = [...(lines.at(-1) ?? "")].length
  return { line: origin.line + lines.length - 1, column: column + (lines.length === 1 ? origin.column : 1) }
}
