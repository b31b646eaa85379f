/** The failures of one test: its name once, and each verdict with the jobs that it holds for. */
import * as Format from "../../Format.ts"
import * as Owners from "../../Owners.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Prose } from "../../ui/Prose.tsx"
import { FileLink, lineIn } from "../../ui/Source.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { alike, type Several } from "./Grouping.ts"
import type { Failure as Judged, Verdict } from "./Words.ts"
import { Mark } from "./Mark.tsx"

const colours: { readonly [V in Verdict]: string } = {
  new_failure: "broken",
  new_test: "broken",
  undecided: "plain",
  broken_on_base: "plain",
  outage: "plain",
  flaky: "flaky"
}

const sentences = 3

/** Evidence of fewer bits speaks for neither side. */
const noticeable = 0.1

/** The evidence that weighs most, without the sentences that the reason says already. */
const Evidence = ({ of: { evidence, reason } }: { readonly of: Judged }) => {
  const speaks = evidence.filter(({ weight }) => Math.abs(weight) >= noticeable)
  const shown = speaks.filter(({ sentence }) => !reason.includes(sentence)).slice(0, sentences)
  if (shown.length === 0) return null
  return (
    <ul class="judged-evidence muted" aria-label="More evidence">
      {shown.map(({ kind, sentence, weight }) => (
        <li key={kind}>
          {sentence} ({weight > 0 ? "not you" : "for you"})
        </li>
      ))}
    </ul>
  )
}

const Message = ({ of: { exception_type: type, message } }: { readonly of: Judged }) => {
  if (type === null && message === null) return <p class="muted">The report has no message.</p>
  return (
    <>
      {type === null ? null : <p class="judged-type">{type}</p>}
      {message === null ? null : (
        <pre tabIndex={0} role="group" aria-label="Message of the failure">
          {message}
        </pre>
      )}
    </>
  )
}

const Job = ({ of: each, reason }: { readonly of: Judged; readonly reason: string }) => (
  <li>
    <span>
      {each.pipeline_name} · {each.job_name}
    </span>
    {each.reason === reason ? null : <span class="muted">{each.reason}</span>}
    {each.job_url === null ? null : (
      <a href={each.job_url} rel="noreferrer">
        CI job
      </a>
    )}
  </li>
)

/** The answer that several jobs have alike, with these jobs. */
const Judgement = ({ of, repository }: { readonly of: Several; readonly repository: Places.Repository }) => {
  const [each] = of
  return (
    <div class="judgement">
      <div class="verdict-head">
        <span class={`badge ${colours[each.verdict]}`}>{each.title}</span>
        <span class="muted">{Format.percent(each.probability_flaky)} chance to pass when run again</span>
        {each.quarantined ? <span class="badge plain">quarantined</span> : null}
      </div>
      <p class="judged-reason">{each.reason}</p>
      <Evidence of={each} />
      <Message of={each} />
      <p>
        <strong>{each.is_blocking ? "Blocks" : "Passes"}</strong>: {each.gate_reason}
      </p>
      <ul class="judged-jobs" aria-label="Jobs">
        {of.map((one) => (
          <Job key={`${one.pipeline_name}\0${one.job_name}`} of={one} reason={each.reason} />
        ))}
      </ul>
      <Mark of={of} repository={repository} />
    </div>
  )
}

/** The cause that the test shares with others. */
const SharedCause = ({ of, repository }: { readonly of: Judged; readonly repository: Places.Repository }) =>
  of.shared_cause === null || of.shared_cause.tests < 2 ? null : (
    <p class="muted">
      <a href={href(Places.causes(repository, { test_id: of.test_id }))}>
        <Prose text={of.shared_cause.name} />
      </a>
      : {of.shared_cause.sentence}
    </p>
  )

/** The card of a test: the failures of its jobs, those that say the same together. */
export const TestFailures = (props: {
  readonly of: Several
  readonly repository: Places.Repository
  readonly commit: string
}) => {
  const { commit, of, repository } = props
  const [first] = of
  return (
    <li>
      <h3>
        <a class="row-link" href={href(Places.test(repository, first.test_id))}>
          <TestName name={first.test_name} />
        </a>
      </h3>
      <p class="judged-end muted">
        {first.file === null ? null : (
          <FileLink
            repository={repository}
            path={first.file}
            commit={commit}
            line={lineIn(first.message, first.file)}
          />
        )}
        {first.owners.length === 0 ? null : <span>{Owners.phraseOf(first.owners)}</span>}
      </p>
      <SharedCause of={first} repository={repository} />
      {alike(of).map((each) => (
        <Judgement key={each[0].job_name} of={each} repository={repository} />
      ))}
    </li>
  )
}
