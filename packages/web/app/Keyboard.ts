/** Keys that work on every page; the dialog behind `?` lists them. */
import { current, navigate } from "./Router.ts"
import * as Places from "./Places.ts"
import * as Store from "./Store.ts"

/** The keys and what they do, as people read them. */
export const keys: ReadonlyArray<readonly [string, string]> = [
  ["Ctrl K", "search from everywhere"],
  ["/", "search the tests"],
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["g o", "overview"],
  ["g t", "tests"],
  ["g q", "quarantine"],
  ["?", "this help"],
  ["Escape", "close, or leave the search"]
]

const help = Store.make(false)

/** Whether the help is shown. */
export const useHelp = (): boolean => Store.useStore(help)

export const showHelp = (): void => help.set(true)

export const closeHelp = (): void => help.set(false)

const palette = Store.make(false)

/** Whether the search from everywhere is open. */
export const usePalette = (): boolean => Store.useStore(palette)

export const openPalette = (): void => palette.set(true)

export const closePalette = (): void => palette.set(false)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null

const rows = (): ReadonlyArray<HTMLElement> => [...document.querySelectorAll<HTMLElement>("main [data-row]")]

/** Moves the focus by rows; without a focused row to the first or the last one. */
const move = (by: 1 | -1): void => {
  const all = rows()
  const at = all.findIndex((row) => row === document.activeElement)
  const next = at === -1 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))
  all[next]?.focus()
  all[next]?.scrollIntoView({ block: "nearest" })
}

const search = (): void => {
  const field = document.querySelector<HTMLInputElement>("main [data-search]")
  if (field !== null) {
    field.focus()
    field.select()
    return
  }
  const page = Places.pageOf(current().path)
  if (!("repository" in page)) return
  navigate(Places.tests(page.repository))
  // The page is drawn in the next frame.
  requestAnimationFrame(() => document.querySelector<HTMLElement>("main [data-search]")?.focus())
}

const sections = { o: Places.overview, t: Places.tests, q: Places.quarantine } as const

const isSection = (key: string): key is keyof typeof sections => key in sections

let isAfterG = false

const goTo = (key: string): void => {
  const page = Places.pageOf(current().path)
  if (isSection(key) && "repository" in page) navigate(sections[key](page.repository))
}

const press = (event: KeyboardEvent): void => {
  const { key, target } = event
  if (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault()
    if (document.querySelector("dialog[open]") === null) openPalette()
    return
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (key === "Escape" && target instanceof HTMLInputElement && target.dataset["search"] === "true") {
    target.blur()
    return
  }
  if (isTyping(target) || document.querySelector("dialog[open]") !== null) return
  const actions: Readonly<Record<string, () => void>> = {
    "/": search,
    "?": showHelp,
    j: () => move(1),
    k: () => move(-1)
  }
  const wasAfterG = isAfterG
  isAfterG = key === "g"
  const act = wasAfterG && isSection(key) ? () => goTo(key) : actions[key]
  if (act === undefined) return
  event.preventDefault()
  act()
}

/** Listens from now on. */
export const start = (): void => document.addEventListener("keydown", press)
