/** The settings as a form: what was changed is saved, the rest stays. */
import type { Wire } from "@lazaret/api"
import { useEffect, useRef, useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import type * as Places from "../../../Places.ts"
import { guardWith } from "../../../Router.ts"
import { BadgeOffer } from "../../../ui/BadgeOffer.tsx"
import { Section } from "../../../ui/Section.tsx"
import * as Draft from "./Draft.ts"
import { Field } from "./Field.tsx"
import { GateFields } from "./GateFields.tsx"
import { IssueState } from "./IssueState.tsx"
import { policies } from "./Policies.ts"
import { PolicyFields } from "./PolicyFields.tsx"
import { type Form, onOff, type Options, Select } from "./Select.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly settings: Wire.RepositorySettings
  /** Whether the caller may read the settings alone. */
  readonly isReadOnly?: boolean
}

interface TextProps extends Form {
  readonly path: string
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  readonly maxLength: number
  readonly isUrl?: boolean
}

const TextField = ({ hint, isUrl = false, label, path, ...props }: TextProps) => (
  <Field path={path} label={label} hint={hint} faults={props.faults}>
    {(attributes) => (
      <input
        {...attributes}
        {...(isUrl ? { type: "url" as const } : { type: "text" as const })}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        value={props.draft[path]}
        onInput={(event) => props.set(path, event.currentTarget.value)}
      />
    )}
  </Field>
)

const General = (form: Form) => (
  <Section title="Repository">
    <TextField
      {...form}
      path="default_branch"
      label="Default branch"
      hint="Health is judged on this branch alone. Empty: main or master, whichever was seen first."
      placeholder="main or master"
      maxLength={255}
    />
    <TextField
      {...form}
      path="repository_url"
      label="Page at the hosting platform"
      hint="Commits, pull requests and files link to it. Empty: found from the jobs of GitHub Actions and GitLab CI. For a GitLab whose host name does not contain gitlab, add /- at the end."
      isUrl
      placeholder="found from uploads"
      maxLength={2048}
    />
    <Select
      {...form}
      path="flaky_detection"
      label="Flaky detection"
      hint="Reporters may run tests again to find flaky ones."
      options={onOff}
    />
    <Select
      {...form}
      path="flakiness_evidence"
      label="Evidence of flakiness"
      hint="A test that fails and passes in one run of a branch can become flaky."
      options={[
        ["every_branch", "of every branch"],
        ["default_branch", "of the default branch only"]
      ]}
    />
    <Select
      {...form}
      path="pull_request_comments"
      label="Comments on pull requests"
      hint="One comment for each pull request, at a hosting platform that is connected."
      options={[
        ["failures", "when a test failed"],
        ["always", "always"],
        ["off", "never"]
      ]}
    />
    <Select
      {...form}
      path="auto_quarantine"
      label="Auto-quarantine"
      hint="Which tests are quarantined automatically, within the limits below. Saving evaluates all tests at once; then they are evaluated every hour and after uploads."
      options={[
        ["off", "off"],
        ["flaky", "flaky tests"],
        ["flaky_and_broken", "flaky and broken tests"]
      ]}
    />
    <Select
      {...form}
      path="auto_removal"
      label="Auto-release"
      hint="Whether tests that the automation quarantined are released after they have recovered."
      options={[["", "as auto-quarantine"], ...onOff]}
    />
    <Select
      {...form}
      path="quarantine_reason"
      label="Reason of a quarantine"
      hint="Whether every quarantine needs a reason."
      options={[
        ["optional", "optional"],
        ["required", "required"]
      ]}
    />
  </Section>
)

const Issues = ({ repository, settings, ...form }: Form & Props) => (
  <Section title="Issues and notifications">
    {settings.issues === "off" ? null : <IssueState repository={repository} />}
    <Select
      {...form}
      path="issues"
      label="Issues"
      hint="Which unhealthy tests get an issue at GitHub, within the limits below."
      options={[
        ["off", "off"],
        ["flaky", "flaky tests"],
        ["broken", "broken tests"],
        ["flaky_and_broken", "flaky and broken tests"]
      ]}
    />
    <Field
      path="issue_labels"
      label="Labels of new issues"
      hint="Separated by commas. Empty: lazaret."
      faults={form.faults}
    >
      {(attributes) => (
        <input
          {...attributes}
          placeholder="lazaret"
          maxLength={520}
          value={form.draft["issue_labels"]}
          onInput={(event) => form.set("issue_labels", event.currentTarget.value)}
        />
      )}
    </Field>
    <Select
      {...form}
      path="issues_by"
      label="Issues by"
      hint="Tests with one cause can share an issue. They get none while their cause is silenced or closed or has a ticket."
      options={byCause}
    />
    <Select
      {...form}
      path="notifications_by"
      label="Notifications by"
      hint="Changes of tests with one cause can be one line of a message. They are left out while their cause is silenced."
      options={byCause}
    />
  </Section>
)

const byCause: Options = [
  ["cause", "cause"],
  ["test", "test"]
]

const Badges = ({ repository, settings, ...form }: Form & Props) => (
  <Section title="Public badges">
    <Select
      {...form}
      path="badge"
      label="Badges"
      hint="Everyone who knows their address sees how many tests are healthy, without a key."
      options={onOff}
    />
    {settings.badge ? <BadgeOffer repository={repository} /> : null}
  </Section>
)

const isOfForm = (draft: Draft.Draft) => (fault: Fetch.Fault) =>
  Object.keys(draft).some((path) => fault.location === `body.${path}`)

export const SettingsForm = (props: Props) => {
  const { repository, settings } = props
  const [draft, setDraft] = useState(() => Draft.of(settings))
  const [failure, setFailure] = useState<Fetch.Failure | null>(null)
  const [isSaved, setIsSaved] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const change = Draft.changeOf(Draft.of(settings), draft)
  const isChanged = change !== null
  useEffect(() => {
    guardWith(isChanged ? () => window.confirm("Leave without saving? Your changes will be lost.") : null)
    return () => guardWith(null)
  }, [isChanged])
  const fields: Form = {
    draft,
    faults: failure?.faults ?? [],
    set: (path, text) => {
      setIsSaved(false)
      setDraft((held) => ({ ...held, [path]: text }))
    }
  }

  const save = async (event: Event) => {
    event.preventDefault()
    const answer = await Fetch.send("PATCH", Routes.changeSettings(repository), change ?? {})
    if (Fetch.isFailure(answer)) {
      setFailure(answer)
      requestAnimationFrame(() => {
        const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]")
        // A field in a collapsed section cannot receive focus.
        wrong?.closest("details")?.setAttribute("open", "")
        wrong?.focus()
      })
      return
    }
    setFailure(null)
    setIsSaved(true)
    setDraft(Draft.of(answer.body))
    // The change may have changed verdicts, too.
    await refresh(Routes.ci(repository))
  }

  const faults = failure?.faults ?? []
  const isNextToFields = faults.length > 0 && faults.every(isOfForm(draft))
  return (
    <form ref={form} class="settings" noValidate onSubmit={(event) => void save(event)}>
      <fieldset class="settings-fields" disabled={props.isReadOnly === true}>
        <General {...fields} />
        <GateFields {...fields} />
        <Issues {...fields} {...props} />
        <Badges {...fields} {...props} />
        {policies.map((policy) => (
          <PolicyFields key={policy.name} {...fields} policy={policy} />
        ))}
      </fieldset>
      {props.isReadOnly === true ? null : (
        <div class={`save-bar${change === null ? " idle" : ""}`}>
          <span aria-live="polite">
            {failure !== null ? (
              <span class="form-failure">
                {isNextToFields ? "Nothing is saved: correct what is marked, and save again." : failure.detail}
              </span>
            ) : isSaved ? (
              "Saved."
            ) : change === null ? (
              <span class="muted">Nothing is changed.</span>
            ) : (
              "Not saved yet."
            )}
          </span>
          <button
            type="button"
            class="button"
            disabled={change === null}
            onClick={() => {
              setFailure(null)
              setDraft(Draft.of(settings))
            }}
          >
            Undo
          </button>
          <button type="submit" class="button primary" disabled={change === null}>
            Save
          </button>
        </div>
      )}
    </form>
  )
}
