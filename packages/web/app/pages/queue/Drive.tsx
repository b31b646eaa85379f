/** A queue that Lazaret drives: its batches in the order in which they land, why each pull request waits, and what the shadow foresees. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Prose } from "../../ui/Prose.tsx"
import { Time } from "../../ui/Time.tsx"
import { CheckState } from "./CheckState.tsx"
import { Estimate } from "./PullRequest.tsx"
import { listed, type Sign, useSign } from "./Sign.ts"

type Engine = Wire.MergeQueueEngines["engines"][number]

type Batch = Engine["batches"][number]

type Queued = Engine["queued"][number]

/** When each pull request is expected to be merged; null: nobody can say. */
type Estimates = ReadonlyMap<number, string | null>

interface Props {
  readonly repository: Places.Repository
  readonly of: Engine
}

const phases: Record<Batch["phase"], string> = {
  planned: "planned",
  building: "being built",
  built: "built",
  publishing: "being built",
  testing: "being tested",
  green: "passed",
  red: "failed",
  landing: "landing"
}

const Member = ({
  estimates,
  isPaused,
  of: { explanation, number, priority, rule },
  repository,
  sign
}: {
  readonly repository: Places.Repository
  readonly sign: Sign
  readonly of: Queued
  readonly estimates: Estimates
  readonly isPaused: boolean
}) => (
  <li class="member">
    <div class="queued-head">
      <a
        class="row-link"
        href={href(Places.failures(repository, { kind: "pull", id: String(number) }))}
        title="Its failures"
      >
        {sign}
        {number}
      </a>
      <span class="muted">
        rule {rule} · priority {priority}
      </span>
      {estimates.has(number) ? (
        <span class="queued-end">
          <Estimate at={estimates.get(number) ?? null} isPaused={isPaused} />
        </span>
      ) : null}
    </div>
    <p>
      <Prose text={explanation} />
    </p>
  </li>
)

const BatchOf = ({
  members,
  of: { attempt, checks, commit, onto, phase, pulls },
  place,
  ...shared
}: {
  readonly repository: Places.Repository
  readonly sign: Sign
  readonly of: Batch
  readonly place: number
  readonly members: ReadonlyArray<Queued>
  readonly estimates: Estimates
  readonly isPaused: boolean
}) => (
  <li>
    <span class="place" aria-hidden="true">
      {place}
    </span>
    <div class="queued">
      <div class="queued-head">
        <strong>{listed(shared.sign, pulls)}</strong>
        <span class="badge plain">{phases[phase]}</span>
        {commit === null ? null : <code>{commit.slice(0, 10)}</code>}
        <span class="muted">
          {onto.length === 0 ? "on the base branch" : `on ${listed(shared.sign, onto)}`}
          {attempt > 1 ? ` · attempt ${attempt}` : ""}
        </span>
      </div>
      {checks.length === 0 ? null : (
        <ul class="executions">
          {checks.map((check) => (
            <li key={check.name}>
              <CheckState state={check.state} />
              {check.url === null ? (
                <span class="grow">{check.name}</span>
              ) : (
                <a class="grow" href={check.url} rel="noreferrer" target="_blank">
                  {check.name}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
      <ul class="members">
        {members.map((member) => (
          <Member key={member.number} of={member} {...shared} />
        ))}
      </ul>
    </div>
  </li>
)

/** The sums of the shadow in a sentence; nothing before it foresaw anything. */
const Foresight = ({ of }: { readonly of: NonNullable<Engine["foresight"]> }) =>
  of.batches + of.reruns + of.evictions === 0 ? null : (
    <p class="foresight">
      <strong>What it would have saved:</strong> {Format.plural(of.pulls, "pull request")} would have landed in{" "}
      {Format.plural(of.batches, "round")}. {Format.plural(of.reruns, "failure")} would have run again, and{" "}
      {of.reruns_that_passed} passed later at the same commit. {Format.plural(of.evictions, "pull request")} would have
      left, of which {of.evictions_of_innocents} landed later as they were.
    </p>
  )

/** The commands that land a batch, or one of its pull requests. */
const landing: ReadonlySet<string> = new Set(["land", "merge"])

const landingsShown = 5

/** The last landings, as the newest lines of the log have them. */
const Landings = ({ branch, repository }: { readonly branch: string; readonly repository: Places.Repository }) => {
  const found = useResource(Routes.queueLog(repository, branch))
  const lines = found.status === "ready" ? found.answer.body.lines : []
  const landings = lines.filter(({ kind }) => landing.has(kind)).slice(0, landingsShown)
  return landings.length === 0 ? null : (
    <>
      <h3>Last landings</h3>
      <ul class="facts">
        {landings.map(({ at, sentence, seq }) => (
          <li key={seq}>
            <span class="muted">
              <Time at={at} />
            </span>{" "}
            <Prose text={sentence} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The batches and the pull requests of a queue that is driven, or would be. */
export const Driven = ({ of: engine, repository }: Props) => {
  const found = useResource(Routes.queues(repository))
  const queues = found.status === "ready" ? found.answer.body.queues : []
  const queue = queues.find(({ branch }) => branch.name === engine.branch)
  const estimates: Estimates = new Map(queue?.pull_requests.map((pull) => [pull.number, pull.estimated_time_of_merge]))
  const shared = { repository, sign: useSign(repository), estimates, isPaused: engine.pause !== null }
  const alone = engine.queued.filter(({ batch }) => batch === null)
  return (
    <>
      {engine.batches.length === 0 ? (
        <p class="muted">No batch is {engine.is_acting ? "tested" : "planned"} now.</p>
      ) : (
        <ol class="queue" aria-label="Batches, the next to land first">
          {engine.batches.map((batch, index) => (
            <BatchOf
              key={batch.id}
              of={batch}
              place={index + 1}
              members={engine.queued.filter((queued) => queued.batch === batch.id)}
              {...shared}
            />
          ))}
        </ol>
      )}
      {alone.length === 0 ? null : (
        <>
          <h3>Not in a batch yet</h3>
          <ul class="members">
            {alone.map((member) => (
              <Member key={member.number} of={member} {...shared} />
            ))}
          </ul>
        </>
      )}
      <Landings repository={repository} branch={engine.branch} />
      {engine.foresight === null || engine.is_acting ? null : <Foresight of={engine.foresight} />}
    </>
  )
}
