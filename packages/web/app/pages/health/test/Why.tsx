/** Why a test has its status: by which rule, because of which executions, and what is missing for recovery. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import type { Resource } from "../../../data/Resource.ts"
import * as Format from "../../../Format.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { boundSentence, HealthBadge, retested } from "../../../ui/Health.tsx"
import { outcomeOf } from "../../../ui/Outcomes.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"
import { CommitLink } from "../../../ui/SubjectLink.tsx"
import { Since, Time } from "../../../ui/Time.tsx"

type Identity = Wire.ExplainedIdentity

const rules: { readonly [R in Identity["rule"]]: string } = {
  start: "No failure has counted against it since it was first seen.",
  failure: "It failed, and has not passed since.",
  in_job_rerun: "It failed and passed within one job.",
  contradiction: "It failed and passed on the same commit, so the code is not the cause.",
  repeated_episode: "It failed again soon after it had recovered.",
  single_failure: "It failed on one commit alone, and passed on the next.",
  other_branch: "It failed and passed in one run of another branch.",
  persistent_failure: "It failed on more commits in a row than a flaky test explains.",
  passes_in_a_row: "It passed often enough in a row on different commits.",
  clean_passes: "It passed long enough without another contradiction."
}

const shownAtFirst = 4

interface Of {
  readonly repository: Places.Repository
}

const Execution = ({ of: each, repository }: Of & { readonly of: Wire.ExplainedExecution }) => {
  const outcome = outcomeOf(each)
  return (
    <li>
      <span class={`outcome ${outcome}`}>{outcome}</span>
      <CommitLink repository={repository} commit={each.commit} />
      <span class="grow muted exception">{each.exception_type}</span>
      <span class="muted">
        <Time at={each.finished_at} />
      </span>
      {each.job_url === null ? null : (
        <a href={each.job_url} rel="noreferrer">
          CI job
        </a>
      )}
    </li>
  )
}

const Executions = (
  props: Of & {
    readonly title: string
    readonly of: ReadonlyArray<Wire.ExplainedExecution>
    readonly total: number
  }
) => {
  const [isWhole, setIsWhole] = useState(false)
  if (props.of.length === 0) return null
  const latestFirst = props.of.toReversed()
  const shown = isWhole ? latestFirst : latestFirst.slice(0, shownAtFirst)
  return (
    <div>
      <h3>
        {props.title} <span class="muted">{Format.number(props.total)}</span>
      </h3>
      <ul class="executions">
        {shown.map((each) => (
          <Execution key={each.id} of={each} repository={props.repository} />
        ))}
      </ul>
      {isWhole || props.of.length <= shownAtFirst ? null : (
        <button type="button" class="button" onClick={() => setIsWhole(true)}>
          {props.of.length === props.total ? `Show all ${props.total}` : `Show the latest ${props.of.length}`}
        </button>
      )}
    </div>
  )
}

/** Instants within a sentence of the server, as the reader's clock has them. */
const localized = (text: string): string =>
  text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/gu, (instant) => Format.at(Date.parse(instant)))

/** A note of the server; the run that it names is a link to the failures of that run. */
const Note = (props: Of & { readonly of: string; readonly contradictions: Identity["contradictions"] }) => {
  const run = props.contradictions.find(({ run_id: id }) => props.of.includes(` run ${id} of `))?.run_id
  if (run === undefined) return <>{props.of}</>
  const [before, after] = props.of.split(` run ${run} of `)
  return (
    <>
      {before} <a href={href(Places.failures(props.repository, { kind: "run", id: run }))}>run {run}</a> of {after}
    </>
  )
}

const Verdict = ({ of: each, repository }: Of & { readonly of: Identity }) => (
  <div class="verdict">
    <div class="verdict-head">
      <HealthBadge status={each.health_status} />
      <strong>
        {each.pipeline_name} · {each.job_name}
      </strong>
      {each.since === null ? null : (
        <span class="muted">
          <Since at={each.since} />
        </span>
      )}
    </div>
    <p>{rules[each.rule]}</p>
    {each.notes.map((note) => (
      <p key={note} class="muted">
        <Note of={note} contradictions={each.contradictions} repository={repository} />
      </p>
    ))}
    {each.recovery === null ? null : (
      <p class="recovery">
        <strong>To be healthy again:</strong> {localized(each.recovery.sentence)}
      </p>
    )}
    <p class="hint">
      <span title={`health_confidence: ${each.confidence}`}>
        {Format.capitalized(each.confidence_reason)} ({retested[each.confidence]}).
      </span>{" "}
      {boundSentence(each)}
    </p>
    <Executions
      repository={repository}
      title="Executions that changed the verdict"
      of={each.evidence}
      total={each.evidence_total}
    />
    <Executions
      repository={repository}
      title="Earlier executions that it contradicts or repeats"
      of={each.context}
      total={each.context_total}
    />
  </div>
)

export const Why = ({
  explanation,
  repository
}: Of & {
  readonly explanation: Resource<Wire.ExplainedTest>
}) => (
  <Section title="Why">
    <Loaded of={explanation} lines={6}>
      {({ identities }) => {
        const unhealthy = identities.filter((each) => each.health_status !== "healthy")
        const shown = unhealthy.length > 0 ? unhealthy : identities
        return shown.length === 0 ? (
          <Empty title="No run is kept any more">
            Its verdict stays; its executions were deleted because of their age.
          </Empty>
        ) : (
          shown.map((each) => (
            <Verdict key={`${each.pipeline_name}\0${each.job_name}`} of={each} repository={repository} />
          ))
        )
      }}
    </Loaded>
  </Section>
)
