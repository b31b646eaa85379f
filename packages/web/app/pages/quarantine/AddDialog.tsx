/** Puts tests into quarantine, one or many, for one reason. */
import { useState } from "preact/hooks"
import * as Bulk from "../../data/Bulk.ts"
import type * as Fetch from "../../data/Fetch.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { BrokenNote, create as putIn, noTerms, QuarantineFields } from "../../ui/QuarantineFields.tsx"
import { Failures } from "./Failures.tsx"
import { TestPicker } from "./TestPicker.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

const noTest: Fetch.Failure = {
  status: 0,
  title: "No test is chosen",
  detail: "Type a part of its name and choose it from the list."
}

export const AddDialog = ({ onClose, onDone, repository }: Props) => {
  const [names, setNames] = useState<ReadonlyArray<string>>([])
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const [terms, setTerms] = useState(noTerms)
  const [failed, setFailed] = useState<ReadonlyArray<Bulk.Failed<string>>>([])

  const create = async (): Promise<Fetch.Failure | null> => {
    if (names.length === 0) return noTest
    const results = await Bulk.forEach(names, (name) => putIn(repository, name, terms))
    setNames(results.map(({ item }) => item))
    setFailed(results)
    await onDone()
    const [first] = results
    if (first === undefined) return null
    return {
      status: first.failure.status,
      title: `${Format.number(results.length)} of ${Format.number(names.length)} could not be quarantined`,
      detail: "The others are. Change what is wrong and try again, or cancel."
    }
  }

  return (
    <Dialog title="Put tests into quarantine" action="Quarantine" onConfirm={create} onClose={onClose}>
      <p class="muted">They still run and are still judged, but their failures do not fail a build.</p>
      <TestPicker
        repository={repository}
        names={names}
        onChange={setNames}
        onBroken={(name) => setBroken((before) => new Set([...before, name]))}
      />
      <BrokenNote names={names.filter((name) => broken.has(name))} />
      <Failures of={failed} />
      <QuarantineFields terms={terms} onChange={setTerms} />
    </Dialog>
  )
}
