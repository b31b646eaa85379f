/** The failed ones of many writes, one by one. */
import type { Failed } from "../../data/Bulk.ts"
import { TestName } from "../../ui/TestName.tsx"

export const Failures = ({ of: failed }: { readonly of: ReadonlyArray<Failed<string>> }) =>
  failed.length === 0 ? null : (
    <ul class="name-list failures" aria-label="What did not succeed">
      {failed.map(({ failure, item }) => (
        <li key={item}>
          <TestName name={item} />
          <span class="muted">{failure.detail}</span>
        </li>
      ))}
    </ul>
  )
