/** A table that a keyboard can scroll. */
import type { ComponentChildren } from "preact"

/**
 * Its rows are the children. With `hasActions` it has a last column for buttons, whose heading only readers of screens hear. With `stacks` each
 * row is a block on a narrow screen, where a cell begins with its `data-label`: nothing has to be scrolled into sight.
 */
export const Table = (props: {
  readonly label: string
  readonly columns: ReadonlyArray<string>
  readonly hasActions?: boolean
  readonly stacks?: boolean
  readonly children: ComponentChildren
}) => (
  <div
    class={props.stacks === true ? "table-wrap stacks" : "table-wrap"}
    tabIndex={0}
    role="region"
    aria-label={props.label}
  >
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
