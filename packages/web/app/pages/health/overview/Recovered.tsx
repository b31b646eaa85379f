/** Quarantines that could end: their tests pass again. */
import type { Wire } from "@lazaret/api"
import { useEverything } from "../../../data/Everything.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"
import { TestName } from "../../../ui/TestName.tsx"
import { Since } from "../../../ui/Time.tsx"

const most = 8

const rowsOf = (page: Wire.QuarantinesPage): ReadonlyArray<Wire.QuarantinedTest> => page.quarantined_tests

export const Recovered = ({ repository }: { readonly repository: Places.Repository }) => {
  const { resource } = useEverything(Routes.quarantines(repository, { per_page: 100 }), rowsOf)
  return (
    <Section title="Recovered in quarantine" aside={<a href={href(Places.quarantine(repository))}>all quarantines</a>}>
      <Loaded of={resource}>
        {({ rows: all }) => {
          const recovered = all.filter((each) => each.is_recovered)
          return recovered.length === 0 ? (
            <Empty title={all.length === 0 ? "No test is in quarantine" : "None has recovered yet"}>
              {all.length === 0
                ? "A quarantined test cannot fail a build."
                : "A test that passes again is shown here, so that its quarantine can end."}
            </Empty>
          ) : (
            <>
              <ul class="rows">
                {recovered.slice(0, most).map((each) => (
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
              <p class="hint">
                <a href={href(`${Places.quarantine(repository)}?state=recovered`)}>
                  {recovered.length === 1
                    ? "Open it to release it"
                    : `Release some of ${Format.number(recovered.length)}`}
                </a>
              </p>
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}
