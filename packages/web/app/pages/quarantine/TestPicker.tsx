/** Tests chosen by name, with suggestions from the search: a combobox that works with the keyboard alone. */
import { useEffect, useState } from "preact/hooks"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import { TestName } from "../../ui/TestName.tsx"
import { patternOf } from "../tests/Filters.ts"

interface Props {
  readonly repository: Places.Repository
  readonly names: ReadonlyArray<string>
  readonly onChange: (names: ReadonlyArray<string>) => void
}

const wait = 200

/** The typed text, a moment after the last key. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), wait)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const useSuggestions = (repository: Places.Repository, text: string, names: ReadonlyArray<string>) => {
  const settled = useSettled(text.trim())
  const query = { test_name: patternOf(settled).pattern, sort: "test_name", direction: "asc", per_page: 20 }
  const found = useResource(settled === "" ? null : Routes.searchTests(repository, query))
  if (text.trim() === "" || found.status !== "ready") return []
  const all = new Set(found.answer.body.tests.map((test) => test.test_name))
  return [...all].filter((name) => !names.includes(name)).slice(0, 8)
}

export const TestPicker = ({ names, onChange, repository }: Props) => {
  const [text, setText] = useState("")
  const [active, setActive] = useState(0)
  const suggestions = useSuggestions(repository, text, names)
  const typed = text.trim()
  // A test that has not run on the default branch yet can be named, too.
  const options = typed === "" || [...suggestions, ...names].includes(typed) ? suggestions : [...suggestions, typed]
  const isOpen = options.length > 0
  const current = Math.min(active, options.length - 1)

  const take = (name: string) => {
    onChange([...names, name])
    setText("")
    setActive(0)
  }
  const keys: { readonly [key: string]: () => void } = {
    ArrowDown: () => setActive((current + 1) % options.length),
    ArrowUp: () => setActive((current + options.length - 1) % options.length),
    Enter: () => take(options[current] ?? typed),
    Escape: () => setText("")
  }
  return (
    <div class="field picker">
      <label for="add-test">Tests</label>
      {names.length === 0 ? null : (
        <ul class="chips" aria-label="Chosen tests">
          {names.map((name) => (
            <li key={name}>
              <button
                type="button"
                class="chip"
                aria-label={`Do not choose ${name}`}
                onClick={() => onChange(names.filter((each) => each !== name))}
              >
                <TestName name={name} /> <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id="add-test"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls="add-test-options"
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `add-test-${current}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={10_000}
        placeholder="part of a name"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={(event) => {
          const act = isOpen ? keys[event.key] : undefined
          if (act === undefined) return
          // Else Enter would send the form, and Escape close it.
          event.preventDefault()
          act()
        }}
      />
      <ul id="add-test-options" role="listbox" aria-label="Tests with this in their name" hidden={!isOpen}>
        {options.map((name, index) => (
          <li
            key={name}
            id={`add-test-${index}`}
            role="option"
            aria-selected={index === current}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(name)}
          >
            <TestName name={name} />
            {suggestions.includes(name) ? null : <span class="muted"> exactly this name</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
