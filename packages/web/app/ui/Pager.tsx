/** Ways to the other pages of a list; the cursor stands in the address. */

const names = [
  ["first", "First"],
  ["prev", "Previous"],
  ["next", "Next"],
  ["last", "Last"]
] as const

/** The address of this page with another cursor. */
const withCursor = (cursor: string): string => {
  const query = new URLSearchParams(location.search)
  query.delete("cursor")
  if (cursor !== "") query.set("cursor", cursor)
  const text = query.toString()
  return `${location.pathname}${text === "" ? "" : `?${text}`}`
}

export const Pager = ({ cursors }: { readonly cursors: Readonly<Partial<Record<string, string>>> }) => {
  if (Object.keys(cursors).length === 0) return null
  return (
    <nav class="pager" aria-label="Pages">
      {names.map(([relation, label]) => {
        const cursor = cursors[relation]
        return cursor === undefined ? (
          <span key={relation} class="button disabled" aria-disabled="true">
            {label}
          </span>
        ) : (
          <a key={relation} class="button" href={withCursor(cursor)}>
            {label}
          </a>
        )
      })}
    </nav>
  )
}
