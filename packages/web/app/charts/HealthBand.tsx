/** Health over time as a band: each stretch has its colour and its pattern, each change its line. */
import type { Wire } from "@lazaret/api"
import * as Format from "../Format.ts"
import type * as Places from "../Places.ts"
import { PullLink } from "../ui/SubjectLink.tsx"
import { HealthBadge, type HealthStatus } from "../ui/Health.tsx"

interface Stretch {
  readonly status: HealthStatus
  readonly start: number
  readonly end: number
}

interface Props {
  readonly transitions: Wire.HealthTransitions["transitions"]
  readonly start: number
  readonly end: number
}

/** From each change to the next one, the last one to the end of the window. */
const stretchesOf = ({ end, start, transitions }: Props): ReadonlyArray<Stretch> =>
  transitions.map((each, index) => {
    const next = transitions[index + 1]
    return {
      status: each.health_status,
      start: Math.max(start, Date.parse(each.at)),
      end: next === undefined ? end : Date.parse(next.at)
    }
  })

const sentence = (stretches: ReadonlyArray<Stretch>): string =>
  `Health over time: ${stretches.map((each) => `${each.status} from ${Format.day(each.start)}`).join(", ")}`

const width = 1000

const areas = { healthy: "passed", flaky: "flaky", broken: "failed" } as const

/** How high a stretch stands: worse is lower, so that the band reads without its colours. */
const levels: { readonly [S in HealthStatus]: number } = { healthy: 0, flaky: 8, broken: 16 }

export const HealthBand = (props: Props) => {
  const stretches = stretchesOf(props)
  const x = (at: number) => ((at - props.start) / (props.end - props.start)) * width
  return (
    <figure class="band">
      <svg viewBox={`0 0 ${width} 28`} preserveAspectRatio="none" role="img" aria-label={sentence(stretches)}>
        <rect class="fill-none" x="0" y="0" width={width} height="28" rx="3" />
        {stretches.map((each) => (
          <rect
            key={each.start}
            class={`fill-${areas[each.status]}`}
            x={x(each.start)}
            y={levels[each.status]}
            width={Math.max(2, x(each.end) - x(each.start))}
            height={28 - levels[each.status]}
          >
            <title>{`${each.status} from ${Format.at(each.start)} to ${Format.at(each.end)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="band-ends hint">
        <span>{Format.day(props.start)}</span>
        <span>{Format.day(props.end)}</span>
      </figcaption>
    </figure>
  )
}

const day = 86_400_000

/** Longer windows are reported in whole days from midnight UTC, without a time of day. */
const momentOf = (at: string): string => {
  const instant = Date.parse(at)
  return instant % day === 0 ? Format.dayUtc(instant) : Format.at(instant)
}

/** The changes as a list, the latest first, each with what opened it. */
export const TransitionList = (props: {
  readonly repository: Places.Repository
  readonly transitions: Props["transitions"]
}) => (
  <ol class="rows">
    {props.transitions.toReversed().map((each, index) => (
      <li key={each.at}>
        <span class="transition">
          <HealthBadge status={each.health_status} />
          <time dateTime={each.at}>{momentOf(each.at)}</time>
        </span>
        <span class="muted">
          <Cause of={each} repository={props.repository} isFirst={index === props.transitions.length - 1} />
        </span>
      </li>
    ))}
  </ol>
)

const Cause = (props: {
  readonly of: Props["transitions"][number]
  readonly repository: Places.Repository
  readonly isFirst: boolean
}) => {
  const { exception_type: exception, health_status: status, pull_request: pull } = props.of
  if (pull !== null && pull !== undefined) {
    return (
      <>
        since <PullLink repository={props.repository} of={pull} />, by {pull.user.login}
      </>
    )
  }
  if (exception !== null && exception !== undefined) return <>{exception}</>
  if (props.isFirst) return <>the first that is known of this time</>
  return <>{status === "healthy" ? "recovered" : "no pull request is known"}</>
}
