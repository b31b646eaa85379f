/** Whether a test is in quarantine, and the ways in and out. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import { refresh, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { QuarantineDialog, ReleaseDialog } from "../../../ui/QuarantineDialogs.tsx"
import { Loaded } from "../../../ui/States.tsx"
import { Since } from "../../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly test: Wire.TestDetails
}

type Question = { readonly name: "add" } | { readonly name: "release"; readonly quarantine: Wire.QuarantinedTest }

/** The end, the owner and the ticket, on a line that is there before they are known. */
const Life = ({ id, repository }: Pick<Props, "repository"> & { readonly id: string }) => {
  const found = useResource(Routes.lifeOf(repository, id))
  if (found.status !== "ready") return <span class="muted">&nbsp;</span>
  const { expires_at, owner, scope, ticket } = found.answer.body
  return (
    <span class="muted">
      {expires_at === null ? "No end" : `Ends on ${Format.day(Date.parse(expires_at))}`}
      {owner === null ? ", no owner" : `, owner ${owner}`}
      {scope === "merge_queue" ? ", only in runs of a merge queue" : ""}
      {ticket === null ? null : (
        <>
          , <a href={ticket}>ticket</a>
        </>
      )}
    </span>
  )
}

const State = ({ of: each, repository }: Pick<Props, "repository"> & { readonly of: Wire.QuarantinedTest }) => (
  <span class="row-main">
    <span>
      In quarantine on {each.branch ?? "all branches"} <Since at={each.created_at} />
      {each.source === "auto"
        ? ", automatically"
        : each.created_by === undefined
          ? ""
          : `, by ${Format.author(each.created_by)}`}
      {each.is_recovered ? <span class="badge healthy">recovered</span> : null}
    </span>
    <span class="muted reason">{each.reason}</span>
    <Life id={each.id} repository={repository} />
  </span>
)

/** The quarantines of a test. */
export const quarantinesOf = (repository: Places.Repository, testId: string) =>
  Routes.quarantines(repository, { test_id: testId, per_page: 100 })

export const QuarantineOf = ({ repository, test }: Props) => {
  const found = useResource(quarantinesOf(repository, test.test_id))
  const [question, setQuestion] = useState<Question | null>(null)
  const close = () => setQuestion(null)
  const changed = async () => {
    // Reload the lists only: a released quarantine has no life to load.
    await refresh(`${Routes.ci(repository)}/quarantines?`)
  }
  return (
    <section class="card quarantine-of" aria-label="Quarantine">
      <Loaded of={found} lines={1}>
        {({ quarantined_tests: all }) => (
          <ul class="rows">
            {all.map((each) => (
              <li key={each.id}>
                <State of={each} repository={repository} />
                <button type="button" class="button" onClick={() => setQuestion({ name: "release", quarantine: each })}>
                  Release
                </button>
              </li>
            ))}
            <li>
              <span class="row-main muted">
                {all.length === 0 ? "Not in quarantine: when it fails, the build fails." : "On another branch too?"}
              </span>
              <button type="button" class="button" onClick={() => setQuestion({ name: "add" })}>
                Quarantine
              </button>
            </li>
          </ul>
        )}
      </Loaded>
      {question?.name === "add" ? (
        <QuarantineDialog
          repository={repository}
          testName={test.test_name}
          isBroken={test.health_status === "broken"}
          onClose={close}
          onDone={changed}
        />
      ) : null}
      {question?.name === "release" ? (
        <ReleaseDialog repository={repository} quarantine={question.quarantine} onClose={close} onDone={changed} />
      ) : null}
    </section>
  )
}
