/** The address bar as a value: which page is shown, and with which filters. */
import { base } from "./Base.ts"
import * as Store from "./Store.ts"

/** A place in the dashboard; `path` is below the base and begins with a slash. */
export interface Place {
  readonly path: string
  readonly search: string
}

const read = (): Place => ({ path: `/${location.pathname.slice(base.length)}`, search: location.search })

const current = Store.make<Place>(read())

/** The place that is shown. */
export const usePlace = (): Place => Store.useStore(current)

/** The query of the place that is shown. */
export const useQuery = (): URLSearchParams => new URLSearchParams(usePlace().search)

/** The address of a path below the base, for links. */
export const href = (path: string): string => `${base}${path.replace(/^\//u, "")}`

/** Shows another place. `replace` leaves no trace in the history: for filters while they are typed. */
export const navigate = (path: string, { replace = false } = {}): void => {
  const before = current.get().path
  if (replace) history.replaceState(null, "", href(path))
  else history.pushState(null, "", href(path))
  current.set(read())
  if (before !== current.get().path) window.scrollTo(0, 0)
}

/** Shows the same page with other parameters; null and "" remove one. Paging restarts unless a cursor is given. */
export const changeQuery = (
  changes: Readonly<Record<string, string | ReadonlyArray<string> | null>>,
  options: { readonly replace?: boolean } = {}
): void => {
  const query = new URLSearchParams(location.search)
  query.delete("cursor")
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    for (const each of value === null ? [] : [value].flat()) if (each !== "") query.append(name, each)
  }
  const text = query.toString()
  navigate(`${read().path}${text === "" ? "" : `?${text}`}`, options)
}

/** Follows links within the dashboard without loading the page again. */
export const start = (): void => {
  window.addEventListener("popstate", () => current.set(read()))
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link === null || !isWithin(link) || !isPlain(event)) return
    event.preventDefault()
    navigate(`/${link.pathname.slice(base.length)}${link.search}`)
  })
}

const isWithin = (link: HTMLAnchorElement): boolean =>
  link.origin === location.origin && link.target === "" && link.pathname.startsWith(base) && !link.dataset["outside"]

const isPlain = (event: MouseEvent): boolean =>
  !event.defaultPrevented && event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
