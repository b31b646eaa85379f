/** The fields that narrow the list of quarantines. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Format from "../../Format.ts"
import { changeQuery, useQuery } from "../../Router.ts"
import { Choice } from "../../ui/Choice.tsx"
import * as Filters from "./Filters.ts"

const none = Object.fromEntries(Filters.parameters.map((name) => [name, null]))

export const FilterBar = ({ rows }: { readonly rows: ReadonlyArray<Wire.QuarantinedTest> }) => {
  const query = useQuery()
  const branches = Filters.branchesOf(rows)
  const [isOpen, setIsOpen] = useState(false)
  const active = Filters.parameters.filter((name) => query.has(name)).length
  return (
    <section class="card filters" aria-label="Filters">
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        aria-controls="filter-choices"
        onClick={() => setIsOpen(!isOpen)}
      >
        {active === 0 ? "Filter" : `Filter (${Format.number(active)})`}
      </button>
      <div id="filter-choices" class={isOpen ? "filter-row open" : "filter-row"}>
        <div class="field wide">
          <label for="filter-test">Name</label>
          <input
            id="filter-test"
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder="part of a name"
            value={query.get("test") ?? ""}
            onInput={(event) => changeQuery({ test: event.currentTarget.value }, { replace: true })}
          />
        </div>
        <div class="field">
          <label for="filter-branch">Branch</label>
          <select
            id="filter-branch"
            value={query.get("branch") ?? ""}
            onChange={(event) => changeQuery({ branch: event.currentTarget.value })}
          >
            <option value="">any</option>
            {branches.map((branch) => (
              <option key={branch} value={branch}>
                {branch}
              </option>
            ))}
          </select>
        </div>
        <Choice name="source" label="Source" values={Filters.sources} />
        <Choice name="state" label="State" values={Filters.states} />
        {active > 0 ? (
          <button type="button" class="chip plain end" onClick={() => changeQuery(none)}>
            Remove all
          </button>
        ) : null}
      </div>
    </section>
  )
}
