/** The memory of texts: V8 keeps one byte for each character of Latin-1, and two for each unit of any other text. */
import { isAscii } from "node:buffer"

/**
 * The bytes of memory that a piece of a body takes as text, at least its length.
 *
 * **Details**
 *
 * A piece of UTF-8 with one character beyond Latin-1 is decoded to a text of two bytes for every unit, and every text that is
 * cut from it is one as well. Other encodings count as if they were UTF-8, which is too much for most of them, and for the binary
 * fields of protobuf.
 */
export const ofPiece = (piece: Uint8Array): number => {
  if (isAscii(piece)) return piece.length
  let units = 0
  let isWide = false
  for (const byte of piece) {
    if (byte < 0x80 || byte > 0xbf) units += byte < 0xf0 ? 1 : 2
    if (byte >= firstWide) isWide = true
  }
  return isWide ? Math.max(piece.length, 2 * units) : piece.length
}

/** The first byte of the characters from U+0100 on, and of none before. */
const firstWide = 0xc4

/** The same of a piece of JSON, where a character beyond Latin-1 may be escaped; an escape that two pieces share is not found. */
export const ofJson = (piece: Uint8Array): number => ofEscaped(piece, "\\u", wideEscape)

const wideEscape = /\\u(?!00)[\da-f]{4}/iu

/** The same of a piece of XML, where a character beyond Latin-1 may be a reference to its number. */
export const ofXml = (piece: Uint8Array): number => ofEscaped(piece, "&#", wideReference)

/** A reference to a number from 256 on; more digits make it larger. */
const wideReference = /&#(?:x0*[1-9a-f][\da-f]{2}|0*(?:[1-9]\d{3}|[3-9]\d\d|2[6-9]\d|25[6-9]))/iu

const ofEscaped = (piece: Uint8Array, mark: string, wide: RegExp): number => {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
  return bytes.includes(mark) && wide.test(bytes.toString("latin1")) ? 2 * piece.length : ofPiece(piece)
}
