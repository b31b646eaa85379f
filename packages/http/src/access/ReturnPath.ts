/** The page to which a browser returns after it has signed in. */

/**
 * A path of this server, or the start page for anything that could lead elsewhere.
 *
 * **Details**
 *
 * `//host`, `/\\host`, a scheme, and control characters (browsers drop some of them) are refused. A path that survives is
 * compared once more as browsers read it.
 *
 * @example
 * ```ts skip
 * ReturnPath.safe("/acme/widgets?x=1") // => "/acme/widgets?x=1"
 * ReturnPath.safe("//evil.example") // => "/"
 * ```
 */
export const safe = (given: string | null): string => {
  if (given === null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/u.test(given)) return "/"
  const read = URL.parse(given, here)
  return read === null || read.origin !== here || read.pathname.startsWith("//")
    ? "/"
    : `${read.pathname}${read.search}`
}

const here = "http://lazaret.invalid"
