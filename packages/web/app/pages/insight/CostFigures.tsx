/** The figures of costs: what only flakes made red, and the time that they took. */
import type { ComponentChildren } from "preact"
import type { Wire } from "@lazaret/api"
import * as Format from "../../Format.ts"

type Figures = Wire.CostFigures

const minutes = (value: number): string => Format.duration(value * 60)

const Figure = (props: { readonly value: string; readonly children: ComponentChildren }) => (
  <div class="figure">
    <span class="figure-value">{props.value}</span>
    <span class="figure-label">{props.children}</span>
  </div>
)

const Share = ({ of: { all, by_flakes, share }, what }: { readonly of: Figures["commits"]; readonly what: string }) => (
  <Figure value={share === null ? "–" : Format.percent(share)}>
    {share === null
      ? `no ${what} in these weeks`
      : `of ${what} red by flakes alone (${Format.number(by_flakes)} of ${Format.number(all)})`}
  </Figure>
)

const withGate = ({ commits, let_pass_by_gate: letPass, pull_requests: pulls }: Figures): string => {
  const shares = [
    commits.share_with_gate === null ? null : `${Format.percent(commits.share_with_gate)} of commits`,
    pulls.share_with_gate === null ? null : `${Format.percent(pulls.share_with_gate)} of pull requests`
  ].filter((each) => each !== null)
  if (shares.length === 0) return ""
  return (
    `With the recommended gate and automatic quarantine it would be ${shares.join(" and ")}; ` +
    `${Format.plural(letPass, "job run")} with a real failure would have passed.`
  )
}

const sources = {
  platform: "the hosting platform",
  reports: "the durations of tests in reports",
  both: "the hosting platform and reports"
} as const

export const CostFigures = ({ of }: { readonly of: Figures }) => (
  <>
    <div class="figures">
      <Share of={of.commits} what="commits" />
      <Share of={of.pull_requests} what="pull requests" />
      <Figure value={minutes(of.machine_minutes)}>of jobs for flakes</Figure>
      <Figure value={minutes(of.waiting_minutes)}>of waiting for a green job run</Figure>
      {of.is_priced ? <Figure value={Format.number(of.amount)}>at the prices of the settings</Figure> : null}
    </div>
    <p class="hint cost-note">
      {withGate(of)} Jobs: {minutes(of.failed_minutes)} red, {minutes(of.run_again_minutes)} run again,{" "}
      {minutes(of.repeated_in_jobs_minutes)} repeated in jobs. Outages took {minutes(of.outages.minutes)} more. Times
      come from {sources[of.time_source]}.
    </p>
  </>
)
