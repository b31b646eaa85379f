/** The last comparison of tests with their issues: when it was, and why it failed. */
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { Time } from "../../../ui/Time.tsx"

/** One line; nothing while it loads. */
export const IssueState = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.issues(repository))
  if (found.status !== "ready") return null
  const { checked_at, failure, issues, next_at } = found.answer.body
  if (checked_at === null) return <p class="muted">Tests and issues were not compared yet.</p>
  const open = issues.filter(({ is_open }) => is_open).length
  return (
    <p class={failure === null ? "muted" : "form-failure"}>
      {Format.plural(open, "open issue")}. Compared <Time at={checked_at} />
      {failure === null ? "." : `, which failed: ${failure}.`}
      {failure === null || next_at === null ? null : (
        <>
          {" "}
          The next attempt is <Time at={next_at} />.
        </>
      )}
    </p>
  )
}
