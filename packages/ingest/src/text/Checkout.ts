/** Paths relative to the folder of the checkout that a client names. */

/** Makes a text that begins with the path of the checkout relative to it; other texts stay as they are. */
export type Relative = (text: string) => string

/**
 * Makes paths relative to a checkout.
 *
 * **Details**
 *
 * Only this folder is taken off, with a `file://` before it and with slashes or backslashes. The path of the folder itself
 * stays. Without a checkout every text stays.
 */
export const make = (checkout: string | undefined): Relative => {
  const folder = slashed(checkout ?? "").replace(/\/+$/, "")
  if (folder === "") return (text) => text
  const start = `${folder}/`
  return (text) => {
    const isCandidate = text.startsWith("file:") || text.charCodeAt(0) === start.charCodeAt(0)
    if (!isCandidate) return text
    const plain = slashed(text.replace(/^file:\/\/(?=\/)/i, ""))
    return plain.startsWith(start) && plain.length > start.length ? plain.slice(start.length) : text
  }
}

const slashed = (text: string): string => text.replaceAll("\\", "/")
