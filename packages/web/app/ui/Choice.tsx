/** Values that can be chosen together; they stand in the address. */
import { changeQuery, useQuery } from "../Router.ts"
import * as Format from "../Format.ts"
import { HealthShape, isHealth } from "./Health.tsx"

interface Props {
  readonly name: string
  readonly label: string
  readonly values: ReadonlyArray<string>
  /** How many results each value would leave; null while that is not known. */
  readonly counts?: ReadonlyMap<string, number> | null
  /** The words of a value, where they are others. */
  readonly words?: Readonly<Record<string, string>>
}

const toggled = (query: URLSearchParams, name: string, value: string): ReadonlyArray<string> => {
  const values = query.getAll(name)
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
}

/** The number of results of a value; its place is kept while it is not known. */
const Count = (props: { readonly of: Props["counts"]; readonly value: string }) =>
  props.of === undefined ? null : (
    <span class="count">{props.of === null ? "" : Format.number(props.of.get(props.value) ?? 0)}</span>
  )

/** A few values next to one another. */
export const Choice = ({ counts, label, name, values, words }: Props) => {
  const query = useQuery()
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="choice-values">
        {values.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={query.getAll(name).includes(value)}
            onClick={() => changeQuery({ [name]: toggled(query, name, value) })}
          >
            {isHealth(value) ? <HealthShape status={value} /> : null}
            {words?.[value] ?? value}
            <Count of={counts} value={value} />
          </button>
        ))}
      </div>
    </fieldset>
  )
}

/** Many values behind a button; those that hold come first. */
export const ChoiceMenu = ({ counts, label, name, values }: Props) => {
  const query = useQuery()
  const held = query.getAll(name)
  const all = [...held, ...values.filter((each) => !held.includes(each))]
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <details
        class="menu choice-menu"
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          event.currentTarget.open = false
          event.currentTarget.querySelector<HTMLElement>("summary")?.focus()
        }}
      >
        <summary class="button">{held.length > 0 ? held.join(", ") : all.length === 1 ? all[0] : "any"}</summary>
        <div class="menu-panel">
          {all.map((value) => (
            <label key={value} class="check">
              <input
                type="checkbox"
                checked={held.includes(value)}
                onChange={() => changeQuery({ [name]: toggled(query, name, value) })}
              />
              <span class="grow">{value}</span>
              <Count of={counts} value={value} />
            </label>
          ))}
        </div>
      </details>
    </fieldset>
  )
}
