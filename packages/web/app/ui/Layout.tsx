/** The frame of every page: the place, the menu, and the session. */
import type { ComponentChildren, TargetedMouseEvent } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import * as Keyboard from "../Keyboard.ts"
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import * as Session from "../Session.ts"
import * as Theme from "../Theme.ts"
import { OpenPalette } from "./Palette.tsx"
import { Shortcuts } from "./Shortcuts.tsx"

const sections = [
  ["overview", "Overview", Places.overview],
  ["pulls", "Pull requests", Places.pulls],
  ["tests", "Tests", Places.tests],
  ["causes", "Causes", (repository: Places.Repository) => Places.causes(repository)],
  ["missing", "Missing", Places.missing],
  ["cost", "Cost", Places.cost],
  ["quarantine", "Quarantine", Places.quarantine],
  ["settings", "Settings", Places.settings],
  // The queue's tab is last: it appears once a queue is known, and must not shift the others.
  ["queue", "Queue", Places.queue]
] as const

const Brand = () => (
  <a class="brand" href={href(Places.allRepositories)} aria-label="Lazaret: all repositories">
    <img src={href("icon.svg")} alt="" width="24" height="24" />
    <span>Lazaret</span>
  </a>
)

const sun =
  "M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0-5v2m0 14v2M1 10h2m14 0h2M3.6 3.6 5 5m10 10 1.4 1.4M3.6 16.4 5 15M15 5l1.4-1.4"

const moon = "M16.5 12.5A7 7 0 0 1 7.5 3.5a7 7 0 1 0 9 9Z"

const person = "M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6.5 7.5a6.5 6.5 0 0 1 13 0"

const Icon = ({ path }: { readonly path: string }) => (
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <path d={path} />
  </svg>
)

const ThemeButton = () => {
  const theme = Theme.useTheme()
  const label = `Use ${theme === "dark" ? "light" : "dark"} colours`
  return (
    <button type="button" class="icon-button" onClick={Theme.toggle} aria-label={label} title={label}>
      <Icon path={theme === "dark" ? sun : moon} />
    </button>
  )
}

const glass = "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3Zm4.5 10.5L18 18"

const SearchButton = () => (
  <button type="button" class="icon-button" onClick={Keyboard.openPalette} aria-label="Search" title="Search (Ctrl K)">
    <Icon path={glass} />
  </button>
)

/** Closes a menu after a click on one of its links or buttons. */
const closeAfterChoice = ({ currentTarget: menu, target }: TargetedMouseEvent<HTMLDetailsElement>): void => {
  if (target instanceof Element && target.closest("a, button") !== null) menu.open = false
}

const Account = () => {
  const session = Session.useSession()
  // Reserve the space, so that the layout does not shift when the user's name is loaded.
  if (session.status !== "in") return <span class="icon-button" aria-hidden="true" />
  const { account_scope: scope, name, scope: kind } = session.application
  return (
    <details class="menu" onClick={closeAfterChoice}>
      <summary class="icon-button" aria-label={`Signed in with ${name}`} title={`Signed in with ${name}`}>
        <Icon path={person} />
      </summary>
      <div class="menu-panel">
        <p>
          <strong>{name}</strong>
          <br />
          <span class="muted">
            {kind} key, reaches {scope.login === "*" ? "all owners" : scope.login}
          </span>
        </p>
        {kind === "admin" ? (
          <p>
            <a href={href(Places.admin)}>Administration</a>
          </p>
        ) : null}
        <p>
          <a href={href(Places.manual)}>Manual</a>
        </p>
        <p>
          <a href={href("docs")} data-outside="true">
            Reference of the HTTP interface
          </a>
        </p>
        <p>
          <button type="button" class="link-button" onClick={Keyboard.showHelp}>
            Keyboard
          </button>
        </p>
        <button type="button" class="button" onClick={() => void Session.signOut()}>
          Sign out
        </button>
      </div>
    </details>
  )
}

const Tabs = ({ active, repository }: { readonly active: string; readonly repository: Places.Repository }) => {
  const summary = useResource(Routes.summary(repository))
  const hasQueue = summary.status === "ready" && summary.answer.body.has_queue
  const bar = useRef<HTMLElement>(null)
  // On a narrow screen the tabs are wider than the page: the active one is scrolled to the middle.
  useLayoutEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>("[aria-current]")
    if (bar.current === null || tab === null || tab === undefined) return
    const [whole, part] = [bar.current.getBoundingClientRect(), tab.getBoundingClientRect()]
    bar.current.scrollLeft += part.left - whole.left - (whole.width - part.width) / 2
  }, [active, hasQueue])
  return (
    <nav class="tabs" aria-label="Repository" ref={bar}>
      {sections.map(([name, label, path]) =>
        name === "queue" && !hasQueue && active !== name ? null : (
          <a key={name} href={href(path(repository))} aria-current={active === name ? "page" : undefined}>
            {label}
          </a>
        )
      )}
    </nav>
  )
}

/** The tab that a page belongs to. */
const tabOf = (page: Places.Page): string => {
  if (page.name === "test") return "tests"
  return page.name === "failures" || page.name === "commits" ? "pulls" : page.name
}

export const Layout = ({ children, page }: { readonly page: Places.Page; readonly children: ComponentChildren }) => {
  const repository = "repository" in page ? page.repository : null
  const isIn = Session.useSession().status === "in"
  return (
    <>
      <a class="skip" href="#page-title" data-outside="true">
        Skip to the page
      </a>
      <header class="top">
        <div class="top-row">
          <Brand />
          {repository === null ? null : (
            <a
              class="where"
              href={href(Places.overview(repository))}
              title={`${repository.owner}/${repository.repository}`}
            >
              <span class="muted">{repository.owner} /</span> <span>{repository.repository}</span>
            </a>
          )}
          <div class="top-end">
            {isIn ? <SearchButton /> : <span class="icon-button" aria-hidden="true" />}
            <ThemeButton />
            <Account />
          </div>
        </div>
        {repository === null ? null : <Tabs active={tabOf(page)} repository={repository} />}
      </header>
      <main class="page">{children}</main>
      <Shortcuts />
      {isIn ? <OpenPalette /> : null}
    </>
  )
}
