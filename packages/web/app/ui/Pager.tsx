/** Ways to the other pages of a list; the cursor stands in the address. */
import * as Format from "../Format.ts"

const names = [
  ["first", "First"],
  ["prev", "Previous"],
  ["next", "Next"],
  ["last", "Last"]
] as const

/** The address of this page with another cursor in a parameter. */
const withCursor = (parameter: string, cursor: string): string => {
  const query = new URLSearchParams(location.search)
  query.delete(parameter)
  if (cursor !== "") query.set(parameter, cursor)
  const text = query.toString()
  return `${location.pathname}${text === "" ? "" : `?${text}`}`
}

/** "Page 2 of 13"; pages that came and went meanwhile make it an estimate. */
const numberOf = ({ offset, per_page: perPage, total }: Of): string =>
  `Page ${Format.number(Math.ceil(offset / perPage) + 1)} of ${Format.number(Math.ceil(total / perPage))}`

interface Of {
  readonly offset: number
  readonly per_page: number
  readonly total: number
}

export const Pager = (props: {
  readonly cursors: Readonly<Partial<Record<string, string>>>
  /** The place of this page in its list, if it is known. */
  readonly of?: Of
  /** The parameter of the cursor, where a page has several lists. */
  readonly name?: string
}) => {
  const { cursors, name = "cursor" } = props
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
          <a key={relation} class="button" href={withCursor(name, cursor)}>
            {label}
          </a>
        )
      })}
      {props.of === undefined ? null : <span class="muted pager-place">{numberOf(props.of)}</span>}
    </nav>
  )
}
