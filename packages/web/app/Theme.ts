/** Light or dark: what the system says, unless somebody chose. */
import * as Store from "./Store.ts"

export type Theme = "light" | "dark"

const key = "lazaret-theme"

const system = window.matchMedia("(prefers-color-scheme: dark)")

const chosen = (): Theme | null => {
  const text = localStorage.getItem(key)
  return text === "light" || text === "dark" ? text : null
}

const effective = (): Theme => chosen() ?? (system.matches ? "dark" : "light")

const theme = Store.make<Theme>(effective())

/** The theme that is shown now; charts are drawn again when it changes. */
export const useTheme = (): Theme => Store.useStore(theme)

const apply = (): void => {
  const choice = chosen()
  if (choice === null) delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = choice
  theme.set(effective())
}

/** Shows the other one, and remembers it on this machine. */
export const toggle = (): void => {
  localStorage.setItem(key, theme.get() === "dark" ? "light" : "dark")
  apply()
}

/** Applies what was chosen, and follows the system where nothing was. */
export const start = (): void => {
  apply()
  system.addEventListener("change", apply)
}
