/** The cause that a test shares with others; renders nothing without one. */
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { Prose } from "../../../ui/Prose.tsx"

/** The causes of a test. */
export const causesOf = (repository: Places.Repository, testId: string) =>
  Routes.causes(repository, { test_id: testId, kind: ["tests"], per_page: 1 })

export const CauseOf = (props: { readonly repository: Places.Repository; readonly testId: string }) => {
  const { repository, testId } = props
  const found = useResource(causesOf(repository, testId))
  const cause = found.status === "ready" ? found.answer.body.causes[0] : undefined
  if (cause === undefined || cause.tests < 2) return null
  return (
    <p>
      <strong>Cause:</strong>{" "}
      <a href={href(Places.causes(repository, { test_id: testId }))}>
        <Prose text={cause.name} />
      </a>{" "}
      <span class="muted">
        one of {Format.plural(cause.tests, "test")} with this cause, {Format.plural(cause.job_runs, "red job run")}
        {cause.owner === null ? "" : `, owned by ${cause.owner}`}
      </span>
    </p>
  )
}
