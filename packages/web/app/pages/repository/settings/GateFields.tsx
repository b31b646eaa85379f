/** The gate as choices: which failures let a CI job pass. */
import { Section } from "../../../ui/Section.tsx"
import { type Form, onOff, type Options, Select } from "./Select.tsx"

/** The choices of a threshold; another value, set by other means, is a choice of its own. */
const from = (value: string, recommended: number | null, offered: ReadonlyArray<number>): Options => {
  const known = offered.map(String)
  const all = value === "" || known.includes(value) ? known : [...known, value]
  return [
    ["", recommended === null ? "never (recommended)" : "never"],
    ...all.map((each) => {
      const percent = `from ${Number((Number(each) * 100).toPrecision(12))} %`
      return [each, Number(each) === recommended ? `${percent} (recommended)` : percent] as const
    })
  ]
}

const shares = [0.99, 0.95, 0.9, 0.8]

export const GateFields = (form: Form) => {
  const valueOf = (path: string): string => form.draft[path] ?? ""
  return (
    <Section
      title="The gate"
      hint="Which failures let a CI job pass, by their verdict. The job stays red for every other failure."
    >
      <Select
        {...form}
        path="gate.quarantined"
        label="Quarantined tests"
        hint="Failures of quarantined tests pass."
        options={onOff}
      />
      <Select
        {...form}
        path="gate.flaky"
        label="Flaky failures"
        hint="They pass from this probability on. A pass of the same code counts 99 %: with 95 %, nearly all that pass are proven by a rerun."
        options={from(valueOf("gate.flaky"), 0.95, shares)}
      />
      <Select
        {...form}
        path="gate.broken_on_base"
        label="Failures that the base branch has, too"
        hint="They pass from this certainty on."
        options={from(valueOf("gate.broken_on_base"), 0.95, shares)}
      />
      <Select
        {...form}
        path="gate.outage"
        label="Outages of the environment"
        hint="They pass from this certainty on. The tests have shown nothing then: never is the careful choice."
        options={from(valueOf("gate.outage"), null, shares)}
      />
      <Select
        {...form}
        path="gate.dependency"
        label="Failures after a release of a dependency"
        hint="They pass from this certainty on. They fail again until somebody mends them: never is the careful choice."
        options={from(valueOf("gate.dependency"), null, shares)}
      />
      <Select
        {...form}
        path="gate.quarantine_limit"
        label="Limit of a quarantine"
        hint="None: a quarantine holds for every failure of its test. Else: for failures that it was made for, and for others from this probability of a flake on."
        options={[["", "none"], ...from(valueOf("gate.quarantine_limit"), 0.8, [0.8, 0.5]).slice(1)]}
      />
      <Select
        {...form}
        path="gate.least_precision"
        label="Least precision"
        hint="No failure passes by its verdict while flaky was right less often than this in this repository."
        options={from(valueOf("gate.least_precision"), 0.9, [0.95, 0.9, 0.8, 0]).slice(1)}
      />
      <Select
        {...form}
        path="gate.missing"
        label="Tests that did not run"
        hint="Tests that ran in most of the latest runs of a job and did not run now. Those that a change deletes are among them."
        options={[
          ["pass", "the run passes, and the verdict says so"],
          ["block", "the run does not pass"]
        ]}
      />
    </Section>
  )
}
