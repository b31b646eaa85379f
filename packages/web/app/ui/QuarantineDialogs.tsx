/** Questions about quarantines: why a test goes in, and whether one comes out. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../data/Fetch.ts"
import * as Routes from "../data/Routes.ts"
import type * as Places from "../Places.ts"
import { Dialog } from "./Dialog.tsx"
import { BrokenNote, create, noTerms, QuarantineFields } from "./QuarantineFields.tsx"
import { TestName } from "./TestName.tsx"

interface Common {
  readonly repository: Places.Repository
  readonly onClose: () => void
  /** Called after the change, to load the data again. */
  readonly onDone: () => Promise<void>
}

const failureOf = async (
  answer: Fetch.Answer<unknown> | Fetch.Failure,
  onDone: () => Promise<void>
): Promise<Fetch.Failure | null> => {
  if (Fetch.isFailure(answer)) return answer
  await onDone()
  return null
}

/** Puts a test into quarantine. */
export const QuarantineDialog = (props: Common & { readonly testName: string; readonly isBroken: boolean }) => {
  const [terms, setTerms] = useState(noTerms)
  const confirm = async () => failureOf(await create(props.repository, props.testName, terms), props.onDone)
  return (
    <Dialog title="Put into quarantine" action="Quarantine" onConfirm={confirm} onClose={props.onClose}>
      <p class="muted">It still runs and is still judged, but its failures do not fail a build.</p>
      <p>
        <TestName name={props.testName} />
      </p>
      <BrokenNote names={props.isBroken ? [props.testName] : []} />
      <QuarantineFields terms={terms} onChange={setTerms} />
    </Dialog>
  )
}

/** Takes a test out of quarantine. */
export const ReleaseDialog = (props: Common & { readonly quarantine: Wire.QuarantinedTest }) => {
  const { quarantine } = props
  const remove = async () =>
    failureOf(await Fetch.send("DELETE", Routes.deleteQuarantine(props.repository, quarantine.id)), props.onDone)
  return (
    <Dialog title="Release from quarantine" action="Release" onConfirm={remove} onClose={props.onClose}>
      <p>
        <TestName name={quarantine.test_name} />
      </p>
      <p class="muted">
        From now on its failures fail the builds of {quarantine.branch ?? "all branches"} again.
        {quarantine.is_recovered ? "" : " It has not recovered yet."}
      </p>
    </Dialog>
  )
}
