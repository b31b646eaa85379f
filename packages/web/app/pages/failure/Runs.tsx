/** The job runs that the verdicts are about. */
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
    <ul class="rows">
      {runs.map((run) => (
        <li key={`${run.pipeline_name}\0${run.job_name}\0${run.run_id}\0${run.run_attempt}`}>
          <span class="row-main">
            <span>
              {run.pipeline_name} · {run.job_name}
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
  </Section>
)
