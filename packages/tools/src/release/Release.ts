/** The files that a release changes: the version of every manifest, and the changelog. */

/** Whether a text is a version that a release can have: three numbers, and perhaps a pre-release. */
export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(text)

/**
 * The changelog with everything below `[Unreleased]` under the heading of a version, and an empty `[Unreleased]` above it; null
 * when nothing is unreleased, or when the version has a heading already.
 */
export const changelog = (text: string, version: string, date: string): string | null => {
  const heading = "## [Unreleased]\n"
  const start = text.indexOf(heading)
  if (start < 0 || text.includes(`\n## [${version}]`)) return null
  const rest = text.slice(start + heading.length)
  const [unreleased = ""] = rest.split(/^## \[/m, 1)
  if (!/^- /m.test(unreleased)) return null
  return `${text.slice(0, start)}${heading}\n## [${version}] - ${date}\n${rest}`
}

/** The notes of a version: what stands below its heading; null when the changelog has no such heading. */
export const notes = (text: string, version: string): string | null => {
  const [, after] = text.split(`\n## [${version}]`, 2)
  return after === undefined ? null : (after.slice(after.indexOf("\n")).split(/^## \[/m, 1)[0] ?? "").trim()
}

/** The text of a manifest with a version, and with that version for each dependency that is released with it. */
export const manifest = (text: string, version: string, released: ReadonlySet<string>): string => {
  const fields = Object.entries(JSON.parse(text)).map(([key, value]) => [key, fieldOf(key, value, version, released)])
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}

const fieldOf = (key: string, value: unknown, version: string, released: ReadonlySet<string>): unknown => {
  if (key === "version") return version
  if (!/dependencies$/i.test(key) || typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, range]) => [name, released.has(name) ? version : range]))
}

/** Names in an order in which each comes after everything that it depends on; `dependencies` never form a circle. */
export const order = (dependencies: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const ordered = new Set<string>()
  const add = (name: string): void => {
    for (const each of dependencies.get(name) ?? []) if (dependencies.has(each)) add(each)
    ordered.add(name)
  }
  for (const name of dependencies.keys()) add(name)
  return [...ordered]
}
