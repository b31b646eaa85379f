/** A choice among values of a setting. */
import type * as Fetch from "../../../data/Fetch.ts"
import type * as Draft from "./Draft.ts"
import { Field } from "./Field.tsx"

/** A form of settings: the texts of its fields, their faults, and the way to change one. */
export interface Form {
  readonly draft: Draft.Draft
  readonly faults: ReadonlyArray<Fetch.Fault>
  readonly set: (path: string, text: string) => void
}

/** The values of a choice with their words. */
export type Options = ReadonlyArray<readonly [string, string]>

export const onOff: Options = [
  ["true", "on"],
  ["false", "off"]
]

export const Select = (props: Form & { path: string; label: string; hint: string; options: Options }) => (
  <Field path={props.path} label={props.label} hint={props.hint} faults={props.faults}>
    {(attributes) => (
      <select
        {...attributes}
        value={props.draft[props.path]}
        onChange={(event) => props.set(props.path, event.currentTarget.value)}
      >
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)
