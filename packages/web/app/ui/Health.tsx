/** Health, confidence and impact: always a shape and a word, never a colour alone. */
import type { Wire } from "@lazaret/api"
import type { JSX } from "preact"
import * as Format from "../Format.ts"

export type HealthStatus = Wire.TestSearchResult["metrics"]["health_status"]

/** Whether a text is a health status. */
export const isHealth = (value: string): value is HealthStatus => ["healthy", "flaky", "broken"].includes(value)

const shapes: { readonly [S in HealthStatus]: JSX.Element } = {
  healthy: <circle cx="6" cy="6" r="4.5" />,
  flaky: <path d="M6 .8 11.2 6 6 11.2.8 6Z" />,
  broken: <rect x="1.5" y="1.5" width="9" height="9" rx="1.5" />
}

/** The shape of a health status, without its word. */
export const HealthShape = ({ status }: { readonly status: HealthStatus }) => (
  <svg class={`shape ${status}`} viewBox="0 0 12 12" aria-hidden="true">
    {shapes[status]}
  </svg>
)

/** A health status as people see it. */
export const HealthBadge = ({ status }: { readonly status: HealthStatus }) => (
  <span class={`badge ${status}`}>
    <HealthShape status={status} />
    {status}
  </span>
)

/**
 * Whether a test fails in each run: the length of its row says more than a share of 30 days. A broken test whose latest run
 * passed has no row.
 */
export const isInRow = (of: Wire.ListedTest): boolean => of.health_status === "broken" && of.failures_in_a_row > 0

/** How often a test fails. */
export const FailureRate = ({ of }: { readonly of: Wire.ListedTest }) =>
  isInRow(of) ? (
    <span class="muted" title="failures since its last pass">
      {Format.number(of.failures_in_a_row)} in a row
    </span>
  ) : (
    <span class="muted" title={`${Format.number(of.failed_count)} of its runs in 30 days failed`}>
      fails in {Format.percent(of.failure_ratio)}
    </span>
  )

const levels = { low: 1, medium: 2, high: 3 } as const

export type Level = keyof typeof levels

/**
 * A health confidence in words: how often reruns have tested the status since it changed. The word of the interface sounds like
 * a doubt about a status that is proven.
 */
export const retested: { readonly [L in Level]: string } = {
  low: "rarely retested",
  medium: "retested",
  high: "often retested"
}

/** A health confidence as one to three bars with its words. */
export const LevelMark = ({ level }: { readonly level: Level }) => (
  <span class="level">
    <svg class="bars" viewBox="0 0 14 12" aria-hidden="true">
      {[1, 2, 3].map((step) => (
        <rect
          key={step}
          class={step <= levels[level] ? "on" : "off"}
          x={(step - 1) * 5}
          y={12 - step * 4}
          width="3.5"
          height={step * 4}
          rx="1"
        />
      ))}
    </svg>
    {retested[level]}
  </span>
)

/** The sentence on how often a test flakes. */
export const boundSentence = (of: Pick<Wire.ExplainedIdentity, "flake_rate_bound" | "clean_reruns">): string => {
  const reruns = Format.plural(of.clean_reruns, "clean rerun")
  // A bound from a few reruns says nothing.
  return of.flake_rate_bound > 0.5
    ? ""
    : `With 95 % certainty it flakes in at most ${Format.percent(of.flake_rate_bound)} of its runs (${reruns} since the last failure).`
}
