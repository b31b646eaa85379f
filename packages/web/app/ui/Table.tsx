/** A table that a keyboard can scroll. */
import type { ComponentChildren } from "preact"

/** Its rows are the children. With `hasActions` it has a last column for buttons, whose heading only readers of screens hear. */
export const Table = (props: {
  readonly label: string
  readonly columns: ReadonlyArray<string>
  readonly hasActions?: boolean
  readonly children: ComponentChildren
}) => (
  <div class="table-wrap" tabIndex={0} role="region" aria-label={props.label}>
    <table>
      <thead>
        <tr>
          {props.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          {props.hasActions === true ? (
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </div>
)
