/** The search from everywhere: tests of the repository, and repositories. It works with the keyboard alone. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import { useSettled } from "../data/Settled.ts"
import * as Format from "../Format.ts"
import * as Keyboard from "../Keyboard.ts"
import * as Places from "../Places.ts"
import { navigate, usePlace } from "../Router.ts"
import { HealthShape } from "./Health.tsx"
import { TestName } from "./TestName.tsx"

/** A place that the text finds. */
interface Found {
  readonly path: string
  readonly label: ComponentChildren
}

const most = 8

const useTests = (repository: Places.Repository | null, text: string): ReadonlyArray<Found> => {
  const search = useSettled(text)
  const found = useResource(
    repository === null || search === "" ? null : Routes.tests(repository, { search, per_page: 3 * most })
  )
  if (repository === null || text === "" || found.status !== "ready") return []
  // A test has a row for each job: the first one is the worst.
  const byId = new Map(found.answer.body.tests.toReversed().map((test) => [test.test_id, test]))
  return [...byId.values()].toReversed().map((test) => ({
    path: Places.test(repository, test.test_id),
    label: (
      <>
        <HealthShape status={test.health_status} /> <TestName name={test.test_name} />
      </>
    )
  }))
}

/** Commits and pull requests, for a text that looks like a number or a hash. */
const useChanges = (repository: Places.Repository | null, text: string): ReadonlyArray<Found> => {
  const search = useSettled(text)
  const found = useResource(
    repository === null || !subjectLike.test(search)
      ? null
      : Routes.commits(repository, "commits", { search, per_page: most })
  )
  if (repository === null || !subjectLike.test(text) || found.status !== "ready") return []
  return found.answer.body.commits.map(({ branch, commit, pull_request: pull }) => ({
    path: Places.failures(
      repository,
      pull === null ? { kind: "commit", id: commit } : { kind: "pull", id: String(pull.number) }
    ),
    label:
      pull === null
        ? `Commit ${Format.commit(commit)} on ${branch}`
        : `Pull request #${pull.number} ${pull.title ?? branch}`
  }))
}

const subjectLike = /^(?:[#!]?\d+|[0-9a-f]{4,64})$/iu

const useRepositories = (text: string): ReadonlyArray<Found> => {
  const found = useResource(Routes.repositories({ per_page: 100 }))
  const all = found.status === "ready" ? found.answer.body.repositories : []
  return all
    .map((each) => ({ each, name: `${each.owner}/${each.repository}` }))
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ each, name }) => ({ path: Places.overview(each), label: name }))
}

/** The commits of one pull request lead to the same page. */
const unique = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  [...new Map(found.toReversed().map((each) => [each.path, each])).values()].reverse()

const Results = (props: {
  readonly found: ReadonlyArray<Found>
  readonly current: number
  readonly onOpen: (of: Found) => void
}) => (
  <ul id="palette-options" role="listbox" aria-label="Places" hidden={props.found.length === 0}>
    {props.found.map((each, index) => (
      <li
        key={each.path}
        id={`palette-${index}`}
        role="option"
        aria-selected={index === props.current}
        onClick={() => props.onOpen(each)}
      >
        {each.label}
      </li>
    ))}
  </ul>
)

const Palette = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const [active, setActive] = useState(0)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const page = Places.pageOf(usePlace().path)
  const repository = "repository" in page ? page.repository : null
  const typed = text.trim()
  const tests = useTests(repository, typed).slice(0, most)
  const found = [...unique(useChanges(repository, typed)), ...tests, ...useRepositories(typed).slice(0, most)]
  const current = Math.min(active, found.length - 1)

  const open = ({ path }: Found) => {
    dialog.current?.close()
    navigate(path)
  }
  const keys: { readonly [key: string]: () => void } = {
    ArrowDown: () => setActive((current + 1) % found.length),
    ArrowUp: () => setActive((current + found.length - 1) % found.length),
    Enter: () => {
      const chosen = found[current]
      if (chosen !== undefined) open(chosen)
    }
  }
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="palette-title" onClose={Keyboard.closePalette}>
      <h2 id="palette-title">
        <label for="palette">
          {repository === null ? "Search repositories" : "Search tests, pull requests, commits and repositories"}
        </label>
      </h2>
      <div class="picker">
        <input
          id="palette"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="palette-options"
          aria-autocomplete="list"
          aria-activedescendant={current >= 0 ? `palette-${current}` : undefined}
          autocomplete="off"
          spellcheck={false}
          maxLength={255}
          placeholder="parts of the name, in any case"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setActive(0)
          }}
          onKeyDown={(event) => {
            const act = found.length > 0 ? keys[event.key] : undefined
            if (act === undefined) return
            event.preventDefault()
            act()
          }}
        />
        <Results found={found} current={current} onOpen={open} />
      </div>
      {typed !== "" && found.length === 0 ? (
        <p class="hint">No test, pull request or commit of the last 30 days matches.</p>
      ) : null}
    </dialog>
  )
}

/** The search, while it is open. */
export const OpenPalette = () => (Keyboard.usePalette() ? <Palette /> : null)
