/** The stress runs of a test: runs again and again on one commit. Renders nothing without one. */
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { Section } from "../../../ui/Section.tsx"
import { CommitLink } from "../../../ui/SubjectLink.tsx"
import { Since } from "../../../ui/Time.tsx"

export const StressRuns = ({
  repository,
  testId
}: {
  readonly repository: Places.Repository
  readonly testId: string
}) => {
  const found = useResource(Routes.stressRuns(repository, testId))
  const runs = found.status === "ready" ? found.answer.body.stress_runs : []
  if (runs.length === 0) return null
  return (
    <Section title="Stress runs" hint="Runs of this test again and again on one commit, by lazaret stress.">
      <ul class="rows">
        {runs.map(({ commit, ended_at, run_id, sentence }) => (
          <li key={run_id}>
            <span class="row-main">
              <span>{Format.capitalized(sentence)}.</span>
              <span class="muted">
                commit <CommitLink repository={repository} commit={commit} />, <Since at={ended_at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
