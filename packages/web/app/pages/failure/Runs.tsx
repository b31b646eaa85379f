/** The job runs that the verdicts are about, and runs of forks, which change no verdict. */
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Section } from "../../ui/Section.tsx"
import { Time } from "../../ui/Time.tsx"
import type { Page } from "./Words.ts"

interface Props {
  readonly repository: Places.Repository
  readonly of: Page["runs"]
}

export const Runs = ({ of: runs, repository }: Props) => (
  <Section title="Job runs" aside={Format.plural(runs.length, "job run")}>
    <Rows of={runs} repository={repository} />
  </Section>
)

/** The runs of forks, which change no verdict; renders nothing without one. */
export const ForkRuns = ({ of: runs, repository }: Props) =>
  runs.length === 0 ? null : (
    <Section title="Runs of forks, unproven" aside={Format.plural(runs.length, "job run")}>
      <p class="muted">
        These runs report this commit, but the hosting platform knows no pull request of their fork with it. They change
        neither the failures above nor the check.
      </p>
      <Rows of={runs} repository={repository} areOfForks />
    </Section>
  )

const Rows = ({ areOfForks = false, of: runs, repository }: Props & { readonly areOfForks?: boolean }) => (
  <ul class="rows">
    {runs.map((run) => (
      <li key={`${run.branch}\0${run.pipeline_name}\0${run.job_name}\0${run.run_id}\0${run.run_attempt}`}>
        <span class="row-main">
          <span>
            {run.pipeline_name} · {run.job_name}
            {areOfForks ? <span class="muted"> from {run.branch}, unproven</span> : null}
          </span>
          <span class="muted">
            <a href={href(Places.failures(repository, { kind: "run", id: run.run_id }))}>run {run.run_id}</a>, attempt{" "}
            {run.run_attempt}, <Time at={run.finished_at} />
          </span>
        </span>
        <span class="muted">
          {Format.number(run.passed)} passed, {Format.number(run.failed)} failed
        </span>
      </li>
    ))}
  </ul>
)
