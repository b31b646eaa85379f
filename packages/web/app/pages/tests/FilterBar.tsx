/** The fields that narrow the list of tests. What is typed searches at once; Enter keeps it and takes the next. */
import { useEffect, useRef, useState } from "preact/hooks"
import { changeQuery, useQuery } from "../../Router.ts"
import { HealthShape, type HealthStatus } from "../../ui/Health.tsx"
import * as Filters from "./Filters.ts"

const wait = 250

const NameInput = ({ label, name }: { readonly name: Filters.NameField; readonly label: string }) => {
  const query = useQuery()
  const [text, setText] = useState("")
  // The filter that the text stands for at the moment; it is replaced while somebody types.
  const draft = useRef<Filters.Active | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const apply = (typed: string, isKept: boolean) => {
    clearTimeout(timer.current)
    const { isExcluded, pattern } = Filters.patternOf(typed)
    const parameter = isExcluded ? `${name}_exclude` : name
    const now = new URLSearchParams(location.search)
    const before = draft.current
    const rest = (each: string) => (before?.parameter === each ? Filters.without(now, before) : now.getAll(each))
    const changes = { [name]: rest(name), [`${name}_exclude`]: rest(`${name}_exclude`) }
    changes[parameter] = [...(changes[parameter] ?? []), ...(pattern === "" ? [] : [pattern])]
    changeQuery(changes, { replace: true })
    draft.current = isKept || pattern === "" ? null : { parameter, value: pattern, label: "" }
    if (isKept) setText("")
  }

  // The filter of the text was removed elsewhere, or one went back in the history.
  useEffect(() => {
    const held = draft.current
    if (held === null || query.getAll(held.parameter).includes(held.value)) return
    draft.current = null
    setText("")
  }, [query.toString()])

  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={name === "test_name" ? "part of a name, * and ?, or !not this" : "any"}
        value={text}
        onInput={(event) => {
          const typed = event.currentTarget.value
          setText(typed)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => apply(typed, false), wait)
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply(event.currentTarget.value, true)
        }}
      />
    </div>
  )
}

const isHealth = (value: string): value is HealthStatus => ["healthy", "flaky", "broken"].includes(value)

/** Values that can be chosen together; they stand in the address. */
export const Choice = (props: {
  readonly name: string
  readonly label: string
  readonly values: ReadonlyArray<string>
}) => {
  const query = useQuery()
  return (
    <fieldset class="choice">
      <legend>{props.label}</legend>
      <div class="choice-values">
        {props.values.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={query.getAll(props.name).includes(value)}
            onClick={() => changeQuery({ [props.name]: Filters.toggled(query, props.name, value) })}
          >
            {isHealth(value) ? <HealthShape status={value} /> : null}
            {value}
          </button>
        ))}
      </div>
    </fieldset>
  )
}

const SortField = () => {
  const query = useQuery()
  const sort = query.get("sort") ?? "executions_count"
  const direction = query.get("direction") ?? "desc"
  return (
    <div class="field">
      <label for="sort">Sorted by</label>
      <div class="sort">
        <select id="sort" value={sort} onChange={(event) => changeQuery({ sort: event.currentTarget.value })}>
          {Filters.sorts.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="button"
          aria-label={direction === "desc" ? "Downwards; sort upwards" : "Upwards; sort downwards"}
          onClick={() => changeQuery({ direction: direction === "desc" ? "asc" : "desc" })}
        >
          {direction === "desc" ? "↓" : "↑"}
        </button>
      </div>
    </div>
  )
}

/** The button that was pressed goes away; with it the focus would be lost for the keyboard, which clicks zero times. */
const keepFocus = (event: MouseEvent): void => {
  if (event.detail === 0) document.querySelector<HTMLElement>("#filter-test_name")?.focus()
}

const ActiveFilters = () => {
  const query = useQuery()
  const active = Filters.activeIn(query)
  if (active.length === 0) return null
  return (
    <ul class="chips" aria-label="Filters that hold">
      {active.map((each) => (
        <li key={`${each.parameter} ${each.value}`}>
          <button
            type="button"
            class="chip"
            aria-label={`Remove the filter ${each.label}`}
            onClick={(event) => {
              changeQuery({ [each.parameter]: Filters.without(query, each) })
              keepFocus(event)
            }}
          >
            {each.label} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          class="chip plain"
          onClick={(event) => {
            changeQuery(Object.fromEntries(Filters.parameters.map((name) => [name, null])))
            keepFocus(event)
          }}
        >
          Remove all
        </button>
      </li>
    </ul>
  )
}

export const FilterBar = () => (
  <section class="card filters" aria-label="Filters">
    <div class="filter-row names">
      {Filters.nameFields.map(([name, label]) => (
        <NameInput key={name} name={name} label={label} />
      ))}
      <SortField />
    </div>
    <div class="filter-row">
      {Filters.choices.map(([name, label, values]) => (
        <Choice key={name} name={name} label={label} values={values} />
      ))}
    </div>
    <ActiveFilters />
  </section>
)
