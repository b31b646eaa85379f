/** The deletion of a repository, which its name confirms. */
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
}

const Question = ({ onClose, repository }: Props & { readonly onClose: () => void }) => {
  const [typed, setTyped] = useState("")
  const name = `${repository.owner}/${repository.repository}`
  const remove = async (): Promise<Fetch.Failure | null> => {
    if (typed.trim().toLowerCase() !== name.toLowerCase()) {
      return { status: 0, title: "The name does not match", detail: `type ${name} to delete it.` }
    }
    const answer = await Fetch.send("DELETE", Routes.removeRepository(repository), { confirm: typed.trim() })
    if (Fetch.isFailure(answer)) return answer
    guardWith(null)
    forget()
    navigate(Places.allRepositories)
    return null
  }
  return (
    <Dialog title={`Delete ${name}`} action="Delete" isDangerous onConfirm={remove} onClose={onClose}>
      <p>
        Its reports, tests, failures, quarantines, merge queues, events, webhooks and settings are deleted. This cannot
        be undone. A later upload creates a new repository.
      </p>
      <label>
        Name of the repository
        <input
          autocomplete="off"
          spellcheck={false}
          placeholder={name}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  )
}

export const Removal = ({ repository }: Props) => {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <Section title="Delete the repository" hint="For a misspelt name, or a repository that has no tests any more.">
      <div class="button-row">
        <button type="button" class="button danger" onClick={() => setIsAsking(true)}>
          Delete…
        </button>
      </div>
      {isAsking ? <Question repository={repository} onClose={() => setIsAsking(false)} /> : null}
    </Section>
  )
}
