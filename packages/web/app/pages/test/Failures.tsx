/** The ways in which a test failed: each with its count, its stack, and the jobs in which it happened. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly testId: string
}

const Events = ({ failureId, repository, testId }: Props & { readonly failureId: string }) => {
  const found = useResource(Routes.failure(repository, testId, failureId))
  return (
    <Loaded of={found}>
      {({ latest_events: events }) => {
        const stack = events.find((each) => each.exception_stacktrace !== null)?.exception_stacktrace
        return (
          <>
            {stack === undefined ? null : <pre tabIndex={0}>{stack}</pre>}
            <ul class="executions">
              {events.map((each) => (
                <li key={each.id}>
                  <span class="grow muted">
                    <Time at={each.failed_at} />
                  </span>
                  {each.job_url === null || each.job_url === undefined ? (
                    <span class="muted">no job is known</span>
                  ) : (
                    <a href={each.job_url} rel="noreferrer">
                      CI job
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Loaded>
  )
}

const Group = ({ failure, ...props }: Props & { readonly failure: Wire.TestFailures["failures"][number] }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="failure" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="failure-count">{Format.number(failure.failure_count)}×</span>
        <span class="failure-text">
          <strong>{failure.exception_type === "" ? "failure" : failure.exception_type}</strong>
          <span class="failure-message">{failure.exception_message}</span>
          <span class="muted">
            last <Time at={failure.last_failure_at} />, first <Time at={failure.first_failure_at} />
          </span>
        </span>
      </summary>
      {isOpen ? <Events {...props} failureId={failure.id} /> : null}
    </details>
  )
}

export const Failures = (props: Props) => {
  const found = useResource(Routes.failures(props.repository, props.testId))
  return (
    <Section title="Failures">
      <Loaded of={found}>
        {({ failures }) =>
          failures.length === 0 ? (
            <Empty title="It never failed">As far as its runs are kept.</Empty>
          ) : (
            failures.map((each) => <Group key={each.id} {...props} failure={each} />)
          )
        }
      </Loaded>
    </Section>
  )
}
