/** Quarantines that could end: their tests pass again. */
import type { Wire } from "@lazaret/http"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Since } from "../../ui/Time.tsx"

export const Recovered = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource<Wire.QuarantinesPage>(Routes.quarantines(repository, { per_page: 100 }))
  return (
    <Section title="Recovered in quarantine" aside={<a href={href(Places.quarantine(repository))}>all quarantines</a>}>
      <Loaded of={found}>
        {({ quarantined_tests: all }) => {
          const recovered = all.filter((each) => each.is_recovered)
          return recovered.length === 0 ? (
            <Empty title={all.length === 0 ? "No test is in quarantine" : "None has recovered yet"}>
              {all.length === 0
                ? "What a quarantined test does cannot fail a build."
                : "They stay until they pass again."}
            </Empty>
          ) : (
            <ul class="rows">
              {recovered.slice(0, 8).map((each) => (
                <li key={each.id}>
                  <a class="row-link" href={href(Places.test(repository, each.test_id))}>
                    <TestName name={each.test_name} />
                  </a>
                  <span class="muted">
                    {each.branch ?? "all branches"}, <Since at={each.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}
