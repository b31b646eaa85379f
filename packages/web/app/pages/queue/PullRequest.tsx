/** A queued pull request: its place, its checks, and when it is expected to be merged. */
import type { Wire } from "@lazaret/api"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Time, useNow } from "../../ui/Time.tsx"
import { CheckState, summaryOf } from "./CheckState.tsx"
import type { Sign } from "./Sign.ts"

export type Queued = Wire.Queues["queues"][number]["pull_requests"][number]

const aMinute = 60_000

export const Estimate = ({ at, isPaused }: { readonly at: string | null; readonly isPaused: boolean }) => {
  const now = useNow()
  if (at === null) return <span class="muted">{isPaused ? "no estimate while paused" : "no estimate yet"}</span>
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={Format.at(instant)}>
      {instant <= now + aMinute ? "merge due now" : `merge expected ${Format.ago(instant, now)}`}
    </time>
  )
}

const CheckName = ({
  of: check
}: {
  readonly of: NonNullable<Queued["speculative_check_pull_request"]>["checks"][number]
}) => {
  const url = check.details_url ?? check.url
  return url === null ? (
    <span class="grow">{check.name}</span>
  ) : (
    <a class="grow" href={url} rel="noreferrer" target="_blank">
      {check.name}
    </a>
  )
}

const Checks = ({
  of: round,
  sign
}: {
  readonly of: Queued["speculative_check_pull_request"]
  readonly sign: Sign
}) => {
  if (round === null) return <p class="muted">Its checks have not started.</p>
  if (round.checks.length === 0) {
    return (
      <p class="checks-line">
        <CheckState state={round.state} /> <span class="muted">No check has been reported.</span>
      </p>
    )
  }
  return (
    <details class="checks">
      <summary>
        <CheckState state={round.state} /> {summaryOf(round.checks.map((check) => check.state))}
        {round.in_place ? "" : `, on ${sign}${round.number}`}
      </summary>
      <ul class="executions">
        {round.checks.map((check) => (
          <li key={check.name}>
            <CheckState state={check.state} />
            <CheckName of={check} />
            <span class="muted">{check.description}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface Props {
  readonly repository: Places.Repository
  readonly of: Queued
  readonly isPaused: boolean
  readonly sign: Sign
}

export const PullRequest = ({ isPaused, of: pull, repository, sign }: Props) => (
  <li>
    <span class="place" aria-hidden="true">
      {pull.position + 1}
    </span>
    <div class="queued">
      <div class="queued-head">
        <strong>
          <a
            class="row-link"
            href={href(Places.failures(repository, { kind: "pull", id: String(pull.number) }))}
            title="Its failures"
          >
            {sign}
            {pull.number}
          </a>
        </strong>
        <span class={`badge plain priority-${pull.priority_alias}`}>{pull.priority_alias} priority</span>
        <span class="muted">
          rule {pull.queue_rule.name} · queued <Time at={pull.queued_at} />
        </span>
        <span class="queued-end">
          <Estimate at={pull.estimated_time_of_merge} isPaused={isPaused} />
        </span>
      </div>
      <Checks of={pull.speculative_check_pull_request} sign={sign} />
    </div>
  </li>
)
