/** Truncates texts of a report to the stored size. */

/**
 * The text in at most `maximum` bytes of UTF-8: unchanged, or its beginning and a mark that says it was cut.
 *
 * **Details**
 *
 * The limit includes the mark. Code points are never split.
 */
export const ofBytes = (text: string, maximum: number): string => {
  if (text.length * 3 <= maximum || byteLength(text, maximum) <= maximum) return text
  const mark = `… (cut at ${maximum / 1024} KiB)`
  return text.slice(0, unitsWithin(text, maximum - mark.length - 2)) + mark
}

/** The first `maximum` UTF-16 units of a text, without a split surrogate pair and without a mark. */
export const ofUnits = (text: string, maximum: number): string => {
  if (text.length <= maximum) return text
  const isTorn = (text.charCodeAt(maximum - 1) & 0xfc00) === 0xd800
  return text.slice(0, isTorn ? maximum - 1 : maximum)
}

/** The first `maximum` code points of a text. */
export const ofCodePoints = (text: string, maximum: number): string => {
  let end = 0
  for (let points = 0; points < maximum && end < text.length; points++) end += unitsAt(text, end)
  return text.slice(0, end)
}

/**
 * A copy that does not keep a larger text in memory.
 *
 * A JavaScript engine may store a substring as a view of the whole text. A name of 20 characters would then keep 64 KiB
 * in memory, and the names of a report would keep the whole report.
 */
export const owned = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1))

const unitsAt = (text: string, index: number): 1 | 2 =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 ? 2 : 1

const bytesOf = (unit: number): number => {
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  // Each half of a surrogate pair stands for two of its four bytes.
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
}

/** The bytes of a text, or any number above `limit` when it is longer than that. */
const byteLength = (text: string, limit: number): number => {
  let bytes = 0
  for (let i = 0; i < text.length && bytes <= limit; i++) bytes += bytesOf(text.charCodeAt(i))
  return bytes
}

const unitsWithin = (text: string, maximum: number): number => {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const units = unitsAt(text, end)
    bytes += units === 2 ? 4 : bytesOf(text.charCodeAt(end))
    if (bytes > maximum) break
    end += units
  }
  return end
}
