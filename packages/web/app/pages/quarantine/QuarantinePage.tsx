/** The page of quarantines: put in, released, one or many at a time, and the log of the automation. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import { useEverything } from "../../data/Everything.ts"
import { isLoading, refresh, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { useQuery } from "../../Router.ts"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded, PageSkeleton } from "../../ui/States.tsx"
import { Activity, activityOf } from "./Activity.tsx"
import { AddDialog } from "./AddDialog.tsx"
import { AutomationState, useAutomation } from "./AutomationState.tsx"
import { Debt } from "./Debt.tsx"
import { FilterBar } from "./FilterBar.tsx"
import * as Filters from "./Filters.ts"
import { QuarantineTable } from "./QuarantineTable.tsx"
import { ReleaseDialog } from "./ReleaseDialog.tsx"

type Row = Wire.QuarantinedTest

const rowsOf = (page: Wire.QuarantinesPage): ReadonlyArray<Row> => page.quarantined_tests

type Question = { readonly name: "add" } | { readonly name: "release"; readonly rows: ReadonlyArray<Row> }

export const QuarantinePage = ({ repository }: { readonly repository: Places.Repository }) => {
  const query = useQuery()
  const { reload, resource } = useEverything(Routes.quarantines(repository, { per_page: 100 }), rowsOf)
  const [question, setQuestion] = useState<Question | null>(null)
  const { found: settings, isAdmin } = useAutomation(repository)
  const [created, removed, expired] = activityOf(repository)
  const activity = [useResource(created), useResource(removed), useResource(expired)]
  const debt = useResource(Routes.quarantineDebt(repository))
  const others = [...activity, debt, ...(isAdmin ? [settings] : [])]
  const all = resource.status === "ready" ? resource.answer.body.rows : []
  const shown = Filters.matching(all, query)
  const changed = async () => {
    await Promise.all([
      reload(),
      refresh(`${Routes.ci(repository)}/quarantine`),
      refresh(`${Routes.ci(repository)}/events`)
    ])
  }
  if (isLoading([resource, ...others])) return <PageSkeleton title={<PageTitle>Quarantine</PageTitle>} />
  const ask = (rows: ReadonlyArray<Row>) => setQuestion({ name: "release", rows })
  return (
    <>
      <div class="page-head">
        <PageTitle>Quarantine</PageTitle>
        <button type="button" class="button primary" onClick={() => setQuestion({ name: "add" })}>
          Quarantine tests
        </button>
      </div>
      <AutomationState repository={repository} />
      {all.length === 0 ? null : <FilterBar rows={all} />}
      <Section
        title="In quarantine now"
        aside={
          resource.status !== "ready" || all.length === 0
            ? undefined
            : shown.length === all.length
              ? Format.plural(all.length, "quarantine")
              : `${Format.number(shown.length)} of ${Format.plural(all.length, "quarantine")}`
        }
      >
        <Loaded of={resource} lines={6}>
          {({ isComplete }) =>
            all.length === 0 ? (
              <Empty title="No test is in quarantine">
                A quarantined test still runs, and its failures do not fail a build. Use “Quarantine tests” above.
              </Empty>
            ) : shown.length === 0 ? (
              <Empty title="No quarantine matches">Remove a filter to see more.</Empty>
            ) : (
              <>
                <QuarantineTable repository={repository} rows={shown} onRelease={ask} />
                {isComplete ? null : (
                  <p class="hint">The oldest {Format.number(all.length)} are shown: release some to see the others.</p>
                )}
              </>
            )
          }
        </Loaded>
      </Section>
      <Debt repository={repository} />
      <Activity repository={repository} />
      {question?.name === "add" ? (
        <AddDialog repository={repository} onDone={changed} onClose={() => setQuestion(null)} />
      ) : null}
      {question?.name === "release" ? (
        <ReleaseDialog
          repository={repository}
          rows={question.rows}
          onDone={changed}
          onClose={() => setQuestion(null)}
        />
      ) : null}
    </>
  )
}
