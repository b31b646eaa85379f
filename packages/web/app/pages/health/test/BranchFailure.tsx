/** How a test failed on other branches: the only failures of a test that never failed on the default branch. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { Loading } from "../../../ui/States.tsx"
import { CommitLink } from "../../../ui/SubjectLink.tsx"
import { Time } from "../../../ui/Time.tsx"

/** A run of another branch in which the test failed; `passed` says that it passed there, too. */
export interface BranchFailed {
  readonly branch: string | null
  readonly commit: string
  readonly run_id: string
  readonly finished_at: string
  readonly passed: boolean
}

/** The runs of other branches in which a test failed, the latest first. */
export const failedElsewhere = ({ elsewhere, identities }: Wire.ExplainedTest): ReadonlyArray<BranchFailed> => {
  const contradicted = identities.flatMap(({ contradictions }) => contradictions)
  const failed = elsewhere.latest.filter(({ conclusion }) => conclusion === "failed")
  const runs = new Map<string, BranchFailed>()
  for (const each of failed) runs.set(each.run_id, { ...each, passed: false })
  for (const each of contradicted) runs.set(each.run_id, { ...each, passed: true })
  return [...runs.values()].toSorted((a, b) => Date.parse(b.finished_at) - Date.parse(a.finished_at))
}

interface Props {
  readonly repository: Places.Repository
  readonly testId: string
}

const Run = ({ of: each, repository }: { readonly of: BranchFailed; readonly repository: Places.Repository }) => (
  <>
    <a href={href(Places.failures(repository, { kind: "run", id: each.run_id }))}>run {each.run_id}</a>
    <span class="muted">{each.branch === null ? "a pull request" : `branch ${each.branch}`}</span>
    <CommitLink repository={repository} commit={each.commit} />
    <span class="muted">{each.passed ? "failed and passed" : "failed"}</span>
  </>
)

/** The message of the failure in a run; renders nothing when the run has no failure of this test. */
const Message = ({ of: { run_id }, repository, testId }: Props & { readonly of: BranchFailed }) => {
  const found = useResource(Routes.judgedFailures(repository, { kind: "run", id: run_id }, { per_page: 100 }))
  if (found.status === "loading") return <Loading lines={3} />
  const failure =
    found.status === "ready" ? found.answer.body.failures.find(({ test_id }) => test_id === testId) : undefined
  if (failure === undefined) return null
  return (
    <>
      {failure.exception_type === null ? null : <p class="judged-type">{failure.exception_type}</p>}
      {failure.message === null ? (
        <p class="muted">Its report has no message.</p>
      ) : (
        <pre class="message" tabIndex={0} role="group" aria-label="Message">
          {failure.message}
        </pre>
      )}
    </>
  )
}

const shownAtMost = 10

export const BranchFailure = (
  props: Props & { readonly latest: BranchFailed; readonly earlier: ReadonlyArray<BranchFailed> }
) => (
  <>
    <p>It never failed on the default branch, but on other branches.</p>
    <p class="failure-line">
      <Run of={props.latest} repository={props.repository} />
      <span class="muted">
        <Time at={props.latest.finished_at} />
      </span>
    </p>
    <Message of={props.latest} repository={props.repository} testId={props.testId} />
    {props.earlier.length === 0 ? null : (
      <div>
        <h3>
          Earlier failures on other branches <span class="muted">{Format.number(props.earlier.length)}</span>
        </h3>
        <ul class="executions">
          {props.earlier.slice(0, shownAtMost).map((each) => (
            <li key={each.run_id}>
              <Run of={each} repository={props.repository} />
              <span class="muted">
                <Time at={each.finished_at} />
              </span>
            </li>
          ))}
        </ul>
      </div>
    )}
  </>
)
