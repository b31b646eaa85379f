/** The commands that pages show. */

/**
 * Yields the lines (from 1) of code blocks that fetch `lazaret` or a package of `@lazaret` from the registry, where those names
 * are not ours (`docs/decisions/0019-the-small-command-line.md`).
 */
export const foreign = (page: string): ReadonlyArray<number> => {
  let isCode = false
  return page.split("\n").flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    return isCode && fetches.test(line) ? [index + 1] : []
  })
}

const fetches =
  /\bnpx (?:--?\S+ )*@?lazaret\b|\b(?:npx|npm exec|"npx") .*@lazaret\/|"--package", "@lazaret\/|\bnpm (?:i|install|add) (?:\S+ )*@?lazaret(?:\/|@|\s|$)/
