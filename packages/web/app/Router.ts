/** The address bar as a value: which page is shown, and with which filters; and the place in a list that one comes back to. */
import { base } from "./Base.ts"
import * as Store from "./Store.ts"

/** A place in the dashboard; `path` is below the base and begins with a slash. */
export interface Place {
  readonly path: string
  readonly search: string
}

const read = (): Place => ({ path: `/${location.pathname.slice(base.length)}`, search: location.search })

const place = Store.make<Place>(read())

/** The place that is shown. */
export const current = (): Place => place.get()

/** The place that is shown; the component is drawn again when it changes. */
export const usePlace = (): Place => Store.useStore(place)

/** The query of the place that is shown. */
export const useQuery = (): URLSearchParams => new URLSearchParams(usePlace().search)

/** The address of a path below the base, for links. */
export const href = (path: string): string => `${base}${path.replace(/^\//u, "")}`

/** Asks whether the page may be left; null while nothing would be lost. */
let guard: (() => boolean) | null = null

/** Asks before the page is left, until it is called with null. */
export const guardWith = (question: (() => boolean) | null): void => {
  guard = question
}

/** Shows another place. `replace` leaves no trace in the history: for filters while they are typed. */
export const navigate = (path: string, { replace = false } = {}): void => {
  const before = place.get().path
  if (isAnother(path) && guard?.() === false) return
  if (!replace) keepPlace()
  if (replace) history.replaceState(null, "", href(path))
  else history.pushState(null, "", href(path))
  place.set(read())
  if (before !== place.get().path) window.scrollTo(0, 0)
}

const isAnother = (path: string): boolean => path.split("?")[0] !== place.get().path

/** A place on a page: how far down, and on which link. */
interface Kept {
  readonly y: number
  readonly link: string | null
}

const keepPlace = (): void => {
  const link = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : null
  const kept: Kept = { y: window.scrollY, link }
  history.replaceState(kept, "")
}

const isKept = (state: unknown): state is Kept => typeof state === "object" && state !== null && "y" in state

const patience = 2000

const settling = 300

/** Whether one is being brought back to a place: the title does not take the focus then. */
let isComingBack = false

export const comesBack = (): boolean => isComingBack

/** Brings back what was in sight and in focus, as soon as the page is long enough again. */
const bringBack = (kept: Kept, from = performance.now()): void => {
  isComingBack = true
  const isReady = document.documentElement.scrollHeight >= kept.y + window.innerHeight
  if (!isReady && performance.now() - from < patience) {
    requestAnimationFrame(() => bringBack(kept, from))
    return
  }
  const links = [...document.querySelectorAll<HTMLAnchorElement>("main a")]
  links.find((link) => link.href === kept.link)?.focus({ preventScroll: true })
  window.scrollTo(0, kept.y)
  // The effects of the page run after it is painted.
  setTimeout(() => {
    isComingBack = false
  }, settling)
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

const goBack = (event: PopStateEvent): void => {
  const before = place.get()
  if (read().path !== before.path && guard?.() === false) {
    history.pushState(null, "", href(`${before.path}${before.search}`))
    return
  }
  const state: unknown = event.state
  isComingBack = isKept(state)
  place.set(read())
  if (isKept(state)) requestAnimationFrame(() => bringBack(state))
}

/** Follows links within the dashboard without loading the page again. */
export const start = (): void => {
  history.scrollRestoration = "manual"
  window.addEventListener("popstate", goBack)
  window.addEventListener("beforeunload", (event) => {
    if (guard !== null) event.preventDefault()
  })
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
