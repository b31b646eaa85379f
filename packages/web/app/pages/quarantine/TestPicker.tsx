/** Tests chosen by name, with suggestions from the search: a combobox that works with the keyboard alone. */
import { useState } from "preact/hooks"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import { useSettled } from "../../data/Settled.ts"
import type * as Places from "../../Places.ts"
import { TestName } from "../../ui/TestName.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly names: ReadonlyArray<string>
  readonly onChange: (names: ReadonlyArray<string>) => void
  /** Called in addition for a chosen test that is broken. */
  readonly onBroken: (name: string) => void
}

const useSuggestions = (repository: Places.Repository, text: string, names: ReadonlyArray<string>) => {
  const settled = useSettled(text.trim())
  const query = { search: settled, per_page: 20 }
  const found = useResource(settled === "" ? null : Routes.tests(repository, query))
  if (text.trim() === "" || found.status !== "ready") return { isKnown: false, suggestions: [], broken: [] }
  const { tests } = found.answer.body
  const all = new Set(tests.map((test) => test.test_name))
  const broken = tests.filter((test) => test.health_status === "broken").map((test) => test.test_name)
  const suggestions = [...all].filter((name) => !names.includes(name)).slice(0, 8)
  return { isKnown: !found.isStale && settled === text.trim(), suggestions, broken }
}

export const TestPicker = ({ names, onBroken, onChange, repository }: Props) => {
  const [text, setText] = useState("")
  const [active, setActive] = useState<number | null>(null)
  const { broken, isKnown, suggestions } = useSuggestions(repository, text, names)
  const typed = text.trim()
  // A test that has not run on the default branch can be named too, but only by an explicit choice.
  const isOffered = isKnown && typed !== "" && ![...suggestions, ...names].includes(typed)
  const options = isOffered ? [...suggestions, typed] : suggestions
  const isOpen = options.length > 0
  // A name that no test has is never chosen beforehand: Enter takes it only after an arrow key.
  const current = Math.min(active ?? (suggestions.length > 0 ? 0 : -1), options.length - 1)

  const take = (name: string) => {
    onChange([...names, name])
    if (broken.includes(name)) onBroken(name)
    setText("")
    setActive(null)
  }
  const keys: { readonly [key: string]: () => void } = {
    ArrowDown: () => setActive((current + 1) % options.length),
    ArrowUp: () => setActive((Math.max(0, current) + options.length - 1) % options.length),
    Enter: () => {
      const chosen = options[current]
      if (chosen !== undefined) take(chosen)
    },
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
        aria-activedescendant={isOpen && current >= 0 ? `add-test-${current}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={10_000}
        placeholder="parts of the name, in any case"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(null)
        }}
        onKeyDown={(event) => {
          const act = isOpen ? keys[event.key] : undefined
          if (act === undefined) return
          // Otherwise Enter would submit the form, and Escape would close it.
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
            {suggestions.includes(name) ? null : <span class="muted"> – no test that ran lately has this name</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
