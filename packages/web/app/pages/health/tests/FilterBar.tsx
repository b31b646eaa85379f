/** The fields that narrow the list of tests. Typing searches at once; every filter says how many tests it would leave. */
import type { Wire } from "@lazaret/api"
import { useEffect, useRef, useState } from "preact/hooks"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { changeQuery, useQuery } from "../../../Router.ts"
import { Choice, ChoiceMenu } from "../../../ui/Choice.tsx"
import * as Filters from "./Filters.ts"

type Facets = Wire.TestListPage["facets"]

const wait = 200

const SearchField = ({ names }: { readonly names: ReadonlyArray<string> }) => {
  const held = useQuery().get("search") ?? ""
  const [text, setText] = useState(held)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const asked = useRef(held)
  useEffect(() => () => clearTimeout(timer.current), [])
  // The query changed outside this input: a removed filter, or the browser's back button.
  useEffect(() => {
    if (held === asked.current) return
    asked.current = held
    setText(held)
  }, [held])
  const search = (typed: string) => {
    clearTimeout(timer.current)
    asked.current = typed.trim()
    changeQuery({ search: asked.current }, { replace: true })
  }
  return (
    <div class="field search">
      <label for="search">Search by name</label>
      <input
        id="search"
        type="search"
        list="search-names"
        autocomplete="off"
        spellcheck={false}
        maxLength={255}
        placeholder="parts of the name"
        aria-describedby="search-hint"
        data-search="true"
        value={text}
        onInput={(event) => {
          const typed = event.currentTarget.value
          setText(typed)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => search(typed), wait)
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") search(event.currentTarget.value)
        }}
      />
      <datalist id="search-names">
        {text === "" ? null : names.map((name) => <option key={name} value={name} />)}
      </datalist>
      <p id="search-hint" class="hint">
        Ignores case. Each word may be anywhere in the name; <code>!word</code> leaves out, <code>*</code> and{" "}
        <code>?</code> are wildcards, <code>owner:@team</code> finds by owner.
      </p>
    </div>
  )
}

const statuses = ["broken", "flaky", "healthy"] as const

const countsOf = (of: ReadonlyArray<{ readonly value: string | boolean; readonly count: number }>) =>
  new Map(of.map(({ count, value }) => [String(value), count]))

const valuesOf = (of: ReadonlyArray<{ readonly value: string }> | undefined): ReadonlyArray<string> =>
  (of ?? []).map(({ value }) => value)

const SortField = () => {
  const { direction, sort } = Filters.sortOf(useQuery())
  const isDown = direction === "desc"
  return (
    <div class="field sort-field">
      <label for="sort">Sorted by</label>
      <div class="sort">
        <select
          id="sort"
          value={sort}
          onChange={(event) => {
            const wanted = Filters.sorts.find(([name]) => name === event.currentTarget.value)
            if (wanted !== undefined) changeQuery(Filters.orderOf(wanted[0]))
          }}
        >
          {Filters.sorts.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="button"
          aria-label={isDown ? "Descending; sort ascending" : "Ascending; sort descending"}
          onClick={() => changeQuery(Filters.orderOf(sort, isDown ? "asc" : "desc"))}
        >
          {isDown ? "↓" : "↑"}
        </button>
      </div>
    </div>
  )
}

/** The owners of tests. Their numbers are those of the whole list: other filters do not change them. */
const OwnerMenu = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.ownerList(repository))
  const held = useQuery().has("owner")
  const list = found.status === "ready" ? found.answer.body : null
  if (!held && (list?.source ?? null) === null) return null
  return <ChoiceMenu name="owner" label="Owner" values={(list?.owners ?? []).map(({ owner }) => owner)} />
}

interface Props {
  readonly facets: Facets | null
  readonly names: ReadonlyArray<string>
  readonly repository: Places.Repository
}

export const FilterBar = (props: Props) => {
  const query = useQuery()
  const [isOpen, setIsOpen] = useState(false)
  const active = Filters.activeIn(query)
  const others = active.filter((name) => name !== "search").length
  const { facets } = props
  return (
    <section class="card filters" aria-label="Filters">
      <SearchField names={props.names} />
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        aria-controls="filter-choices"
        onClick={() => setIsOpen(!isOpen)}
      >
        {others === 0 ? "Filter and sort" : `Filter and sort (${Format.number(others)})`}
      </button>
      <div id="filter-choices" class={isOpen ? "filter-row open" : "filter-row"}>
        <Choice
          name="health_status"
          label="Health"
          values={statuses}
          counts={facets === null ? null : countsOf(facets.health_status)}
        />
        <Choice
          name="quarantined"
          label="Quarantine"
          values={["true", "false"]}
          words={{ true: "quarantined", false: "not" }}
          counts={facets === null ? null : countsOf(facets.quarantined)}
        />
        <ChoiceMenu
          name="pipeline_name"
          label="Pipeline"
          values={valuesOf(facets?.pipeline_name)}
          counts={facets === null ? null : countsOf(facets.pipeline_name)}
        />
        <ChoiceMenu
          name="job_name"
          label="Job"
          values={valuesOf(facets?.job_name)}
          counts={facets === null ? null : countsOf(facets.job_name)}
        />
        <OwnerMenu repository={props.repository} />
        <SortField />
      </div>
      {active.length === 0 ? null : (
        <button
          type="button"
          class="chip plain clear"
          onClick={() => {
            changeQuery(Filters.none)
            // The button goes away; with it the focus would be lost for the keyboard.
            document.querySelector<HTMLElement>("[data-search]")?.focus()
          }}
        >
          Clear all filters
        </button>
      )}
    </section>
  )
}
