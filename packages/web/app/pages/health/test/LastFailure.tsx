/** How the test failed last: message and stack at full width, and what else it failed with. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { Section } from "../../../ui/Section.tsx"
import { FileLink, lineIn } from "../../../ui/Source.tsx"
import { Empty, Failed, Loading } from "../../../ui/States.tsx"
import { CommitLink } from "../../../ui/SubjectLink.tsx"
import { Time } from "../../../ui/Time.tsx"
import { BranchFailure, failedElsewhere } from "./BranchFailure.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly testId: string
}

type Group = Wire.TestFailures["failures"][number]

type Event = Wire.TestFailureDetail["latest_events"][number]

const typeOf = ({ exception_type: type }: Group): string => (type === "" ? "Failure" : type)

/** The stack of an event, or of the latest one that has a stack. */
const stackOf = (events: ReadonlyArray<Event>): string | null =>
  events.find((each) => each.exception_stacktrace !== null)?.exception_stacktrace ?? null

const Message = ({ of: failure, stack }: { readonly of: Group; readonly stack: string | null }) => (
  <>
    {failure.exception_message === "" || stack?.includes(failure.exception_message) === true ? null : (
      <pre class="message" tabIndex={0} role="group" aria-label="Message">
        {failure.exception_message}
      </pre>
    )}
    {stack === null ? null : (
      <pre class="stack" tabIndex={0} role="group" aria-label="Stack">
        {stack}
      </pre>
    )}
    {failure.exception_message === "" && stack === null ? <p class="muted">Its reports have no message.</p> : null}
  </>
)

const JobLink = ({ to }: { readonly to: string | null | undefined }) =>
  to === null || to === undefined ? null : (
    <a href={to} rel="noreferrer">
      CI job
    </a>
  )

/** The execution of an event in the explanation: it knows the commit. */
const commitOf = (event: Event | undefined, executions: ReadonlyArray<Wire.ExplainedExecution>): string | null =>
  executions.find(({ id }) => id === event?.id)?.commit ?? null

const Latest = (props: Props & { readonly of: Group; readonly executions: ReadonlyArray<Wire.ExplainedExecution> }) => {
  const { executions, of: failure, repository, testId } = props
  const found = useResource(Routes.failure(repository, testId, failure.id))
  if (found.status === "loading") return <Loading lines={5} />
  if (found.status === "failed") return <Failed failure={found.failure} retry={found.retry} />
  const events = found.answer.body.latest_events
  const [latest] = events
  const stack = stackOf(events)
  const commit = commitOf(latest, executions)
  const path = latest?.test_filepath ?? null
  return (
    <>
      <p class="failure-line">
        <strong>{typeOf(failure)}</strong>
        <span class="muted">
          <Time at={failure.last_failure_at} />
        </span>
        {commit === null ? null : <CommitLink repository={repository} commit={commit} />}
        {path === null ? null : (
          <span class="muted">
            <FileLink repository={repository} path={path} commit={commit} line={lineIn(stack, path)} />
          </span>
        )}
        <JobLink to={latest?.job_url} />
        {failure.failure_count === 1 ? null : (
          <span class="muted">
            {Format.number(failure.failure_count)} times since <Time at={failure.first_failure_at} />
          </span>
        )}
      </p>
      <Message of={failure} stack={stack} />
    </>
  )
}

const Events = ({ of: failure, repository, testId }: Props & { readonly of: Group }) => {
  const found = useResource(Routes.failure(repository, testId, failure.id))
  if (found.status === "loading") return <Loading lines={4} />
  if (found.status === "failed") return <Failed failure={found.failure} retry={found.retry} />
  const events = found.answer.body.latest_events
  return (
    <>
      <Message of={failure} stack={stackOf(events)} />
      <ul class="executions">
        {events.map((each) => (
          <li key={each.id}>
            <span class="grow muted">
              <Time at={each.failed_at} />
            </span>
            <JobLink to={each.job_url} />
          </li>
        ))}
      </ul>
    </>
  )
}

const Other = ({ of: failure, ...props }: Props & { readonly of: Group }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="failure" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="failure-count">{Format.number(failure.failure_count)}×</span>
        <span class="failure-text">
          <strong>{typeOf(failure)}</strong>
          <span class="failure-message">{failure.exception_message}</span>
          <span class="muted">
            last <Time at={failure.last_failure_at} />, first <Time at={failure.first_failure_at} />
          </span>
        </span>
      </summary>
      {isOpen ? <Events {...props} of={failure} /> : null}
    </details>
  )
}

export const LastFailure = (props: Props & { readonly explanation: Wire.ExplainedTest | null }) => {
  const { explanation, ...of } = props
  const found = useResource(Routes.failures(of.repository, of.testId))
  if (found.status === "loading") {
    return (
      <Section title="Last failure">
        <Loading lines={8} />
      </Section>
    )
  }
  if (found.status === "failed") {
    return (
      <Section title="Last failure">
        <Failed failure={found.failure} retry={found.retry} />
      </Section>
    )
  }
  const [first, ...others] = found.answer.body.failures
  const [elsewhere, ...earlier] = explanation === null ? [] : failedElsewhere(explanation)
  const executions = (explanation?.identities ?? []).flatMap(({ evidence, recent }) => [...recent, ...evidence])
  return (
    <Section title="Last failure">
      {first !== undefined ? (
        <Latest {...of} of={first} executions={executions} />
      ) : elsewhere !== undefined ? (
        <BranchFailure {...of} latest={elsewhere} earlier={earlier} />
      ) : (
        <Empty title="It never failed">On the default branch, as far as its runs are kept.</Empty>
      )}
      {others.length === 0 ? null : (
        <div>
          <h3>
            Other failures <span class="muted">{Format.number(others.length)}</span>
          </h3>
          {others.map((each) => (
            <Other key={each.id} {...of} of={each} />
          ))}
        </div>
      )}
    </Section>
  )
}
