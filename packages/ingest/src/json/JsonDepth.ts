/** The nesting of a JSON text, which is checked before it is parsed. */

/**
 * How deep a JSON text may nest: ten times as deep as any report.
 *
 * **Details**
 *
 * The engine keeps about 64 bytes for each level that is open, outside of the heap: ten million brackets, which gzip
 * packs into ten kilobytes, would take 640 MB before the text is refused.
 */
export const mostLevels = 1000

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Whether arrays and objects nest deeper than {@link mostLevels}. A text that is not JSON yields any answer. */
export const isTooDeep = (text: string): boolean => {
  let levels = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === quote) index = endOfString(text, index)
    else if (unit === openBrace || unit === openBracket) levels += 1
    else if (unit === closeBrace || unit === closeBracket) levels -= 1
    if (levels > mostLevels) return true
  }
  return false
}

/** The place of the quote that ends the string which begins at a place; the end of the text without one. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end - 1
    while (text.charCodeAt(slashes) === backslash) slashes -= 1
    if ((end - 1 - slashes) % 2 === 0) return end
  }
  return text.length
}
