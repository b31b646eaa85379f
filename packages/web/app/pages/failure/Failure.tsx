/** One failure: its verdict, why, and whether it blocks. */
import * as Format from "../../Format.ts"
import * as Owners from "../../Owners.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { TestName } from "../../ui/TestName.tsx"
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

/** The evidence that weighs most, without the sentences that the reason says already. */
const Evidence = ({ of: { evidence, reason } }: { readonly of: Judged }) => {
  const shown = evidence.filter(({ sentence }) => !reason.includes(sentence)).slice(0, sentences)
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

export const Failure = ({ of: each, repository }: { readonly of: Judged; readonly repository: Places.Repository }) => (
  <li>
    <div class="verdict-head">
      <span class={`badge ${colours[each.verdict]}`}>{each.title}</span>
      <span class="muted">{Format.percent(each.probability_flaky)} chance to pass when run again</span>
      {each.quarantined ? <span class="badge plain">quarantined</span> : null}
    </div>
    <h3>
      <a class="row-link" href={href(Places.test(repository, each.test_id))}>
        <TestName name={each.test_name} />
      </a>
    </h3>
    <p class="judged-reason">{each.reason}</p>
    <Evidence of={each} />
    <Message of={each} />
    <p class="judged-end">
      <span>
        <strong>{each.is_blocking ? "Blocks" : "Passes"}</strong>: {each.gate_reason}
      </span>
      <span class="muted">
        {each.pipeline_name} · {each.job_name}
      </span>
      {each.file === null ? null : <span class="muted">{each.file}</span>}
      {each.owners.length === 0 ? null : <span>{Owners.phraseOf(each.owners)}</span>}
      {each.job_url === null ? null : (
        <a href={each.job_url} rel="noreferrer">
          CI job
        </a>
      )}
    </p>
    <Mark of={each} repository={repository} />
  </li>
)
