/** The numbers of one policy, for those who want to tune it: closed until then. */
import { useEffect, useRef } from "preact/hooks"
import * as Format from "../../../Format.ts"
import type * as Fetch from "../../../data/Fetch.ts"
import type * as Draft from "./Draft.ts"
import { Field } from "./Field.tsx"
import { isShare, type Field as PolicyField, type Policy, unitOf } from "./Policies.ts"

interface Props {
  readonly policy: Policy
  readonly draft: Draft.Draft
  readonly faults: ReadonlyArray<Fetch.Fault>
  readonly set: (path: string, text: string) => void
}

/** The default as people read it, with its unit. */
const fallbackOf = (field: PolicyField): string => {
  if (isShare(field)) return Format.percent(field.fallback)
  const unit = unitOf(field)
  return unit === "" ? Format.number(field.fallback) : `${Format.number(field.fallback)} ${unit}`
}

const placeholderOf = (field: PolicyField): string =>
  String(isShare(field) ? Number((field.fallback * 100).toPrecision(12)) : field.fallback)

export const PolicyFields = ({ draft, faults, policy, set }: Props) => {
  const details = useRef<HTMLDetailsElement>(null)
  const pathOf = ({ name }: PolicyField) => `${policy.name}.${name}`
  const changed = policy.fields.filter((field) => draft[pathOf(field)] !== "").length
  const isWrong = policy.fields.some((field) => faults.some(({ location }) => location === `body.${pathOf(field)}`))
  // An error in a collapsed section would be invisible.
  useEffect(() => {
    if (isWrong && details.current !== null) details.current.open = true
  }, [isWrong, faults])
  return (
    <details ref={details} class="card advanced">
      <summary>
        <h2>Advanced: {policy.title}</h2>
        <span class="muted">
          {Format.plural(policy.fields.length, "number")},{" "}
          {changed === 0 ? "all at their defaults" : `${Format.number(changed)} changed`}
        </span>
      </summary>
      {policy.fields.map((field) => {
        const path = pathOf(field)
        const unit = unitOf(field)
        return (
          <Field
            key={path}
            path={path}
            label={field.label}
            hint={`${field.reason} Default: ${fallbackOf(field)}.`}
            faults={faults}
          >
            {(attributes) => (
              <span class="with-unit">
                <input
                  {...attributes}
                  type="number"
                  step={isShare(field) ? "any" : 1}
                  placeholder={placeholderOf(field)}
                  value={draft[path]}
                  onInput={(event) => set(path, event.currentTarget.value)}
                />
                <span class="muted unit">{unit}</span>
              </span>
            )}
          </Field>
        )
      })}
    </details>
  )
}
