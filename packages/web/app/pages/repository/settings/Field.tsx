/** A field of the settings: its name, why it is there, and what is wrong with it. */
import type { ComponentChildren } from "preact"
import type { Fault } from "../../../data/Fetch.ts"

interface Props {
  readonly path: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly faults: ReadonlyArray<Fault>
  readonly children: (attributes: {
    readonly id: string
    readonly "aria-describedby": string
    readonly "aria-invalid": boolean
  }) => ComponentChildren
}

export const Field = ({ children, faults, hint, label, path }: Props) => {
  const id = `setting-${path.replaceAll(".", "-")}`
  const wrong = faults.filter(({ location }) => location === `body.${path}`)
  return (
    <div class="setting">
      <div class="setting-text">
        <label for={id}>{label}</label>
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      </div>
      <div class="setting-value">
        {children({ id, "aria-describedby": `${id}-hint ${id}-fault`, "aria-invalid": wrong.length > 0 })}
        <p class="fault" id={`${id}-fault`}>
          {wrong.map(({ message }) => message).join("; ")}
        </p>
      </div>
    </div>
  )
}
