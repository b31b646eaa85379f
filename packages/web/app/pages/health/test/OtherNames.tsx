/** The other names of a test: adds a former name, and separates the names again. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Loaded } from "../../../ui/States.tsx"
import { TestName } from "../../../ui/TestName.tsx"
import { Since } from "../../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly test: Pick<Wire.TestDetails, "test_id" | "test_name">
}

type Alias = Wire.TestAliasList["test_aliases"][number]

type Question = { readonly name: "add" } | { readonly name: "revoke"; readonly alias: Alias }

/** Every answer about the repository may have changed. */
const changed = async (
  repository: Places.Repository,
  answer: Fetch.Answer<unknown> | Fetch.Failure
): Promise<Fetch.Failure | null> => {
  if (Fetch.isFailure(answer)) return answer
  await refresh(Routes.ci(repository))
  return null
}

const AddDialog = ({ onClose, repository, test }: Props & { readonly onClose: () => void }) => {
  const [from, setFrom] = useState("")
  const add = async () => {
    const test_aliases = [{ from, to: test.test_name }]
    return changed(repository, await Fetch.send("POST", Routes.createTestAliases(repository), { test_aliases }))
  }
  return (
    <Dialog title="Add a former name" action="Add" onConfirm={add} onClose={onClose}>
      <p class="muted">
        The results of the former name become results of this test, also those of branches that still use it. You can
        take this back.
      </p>
      <p>
        <TestName name={test.test_name} />
      </p>
      <label>
        Former name
        <input
          required
          autocomplete="off"
          spellcheck={false}
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  )
}

const RevokeDialog = (props: {
  readonly repository: Places.Repository
  readonly alias: Alias
  readonly onClose: () => void
}) => {
  const revoke = async () =>
    changed(props.repository, await Fetch.send("DELETE", Routes.revokeTestAlias(props.repository, props.alias.id)))
  return (
    <Dialog title="Separate the names" action="Separate" onConfirm={revoke} onClose={props.onClose}>
      <p>
        <TestName name={props.alias.from} />
      </p>
      <p class="muted">It becomes a test of its own again, with its own results: as if the names had never been one.</p>
    </Dialog>
  )
}

const Name = ({ of: { created_at, created_by, from, kind } }: { readonly of: Alias }) => (
  <span class="row-main">
    <TestName name={from} />
    <span class="muted">
      {kind === "mask" ? "Every name with this mask, " : ""}
      <Since at={created_at} />, by {Format.author(created_by)}
    </span>
  </span>
)

export const OtherNames = ({ repository, test }: Props) => {
  const found = useResource(Routes.testAliases(repository, { test_id: test.test_id }))
  const [question, setQuestion] = useState<Question | null>(null)
  const close = () => setQuestion(null)
  return (
    <Section title="Also known as" hint="Former names of the test in reports, and masks of names that change.">
      <Loaded of={found} lines={1}>
        {({ test_aliases: all }) => (
          <ul class="rows">
            {all.map((alias) => (
              <li key={alias.id}>
                <Name of={alias} />
                <button type="button" class="button" onClick={() => setQuestion({ name: "revoke", alias })}>
                  Separate…
                </button>
              </li>
            ))}
            <li>
              <span class="row-main muted">
                {all.length === 0
                  ? "Was it renamed? Add its former name to keep its history."
                  : "Does it have another name?"}
              </span>
              <button type="button" class="button" onClick={() => setQuestion({ name: "add" })}>
                Add a name…
              </button>
            </li>
          </ul>
        )}
      </Loaded>
      {question?.name === "add" ? <AddDialog repository={repository} test={test} onClose={close} /> : null}
      {question?.name === "revoke" ? (
        <RevokeDialog repository={repository} alias={question.alias} onClose={close} />
      ) : null}
    </Section>
  )
}
