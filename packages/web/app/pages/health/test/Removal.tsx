/** The deletion of a test, which its name confirms. */
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { forget } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Places from "../../../Places.ts"
import { guardWith, navigate } from "../../../Router.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly test: { readonly test_id: string; readonly test_name: string }
}

const Question = ({ onClose, repository, test }: Props & { readonly onClose: () => void }) => {
  const [typed, setTyped] = useState("")
  const remove = async (): Promise<Fetch.Failure | null> => {
    if (typed !== test.test_name) {
      return { status: 0, title: "The name does not match", detail: "type the full name of the test to delete it." }
    }
    const answer = await Fetch.send("DELETE", Routes.removeTest(repository, test.test_id), { confirm: typed })
    if (Fetch.isFailure(answer)) return answer
    guardWith(null)
    forget()
    navigate(Places.tests(repository))
    return null
  }
  return (
    <Dialog title="Delete the test" action="Delete" isDangerous onConfirm={remove} onClose={onClose}>
      <p>
        Its executions, failures, quarantines, verdicts and events are deleted, on every branch. This cannot be undone.
        A later report creates it again.
      </p>
      <p>
        <code>{test.test_name}</code>
      </p>
      <label>
        Name of the test
        <input
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  )
}

export const Removal = ({ repository, test }: Props) => {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <Section title="Delete the test" hint="For a test that ran by mistake, or under a name that nobody should see.">
      <div class="button-row">
        <button type="button" class="button danger" onClick={() => setIsAsking(true)}>
          Delete…
        </button>
      </div>
      {isAsking ? <Question repository={repository} test={test} onClose={() => setIsAsking(false)} /> : null}
    </Section>
  )
}
