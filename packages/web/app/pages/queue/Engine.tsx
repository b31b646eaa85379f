/** The engine of a queue: the chain of groups or batches, why each waits, the rules that hold a gate back, and the log. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Prose } from "../../ui/Prose.tsx"
import { Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { CheckState } from "./CheckState.tsx"
import { Driven } from "./Drive.tsx"
import { listed, type Sign } from "./Sign.ts"

type EngineOf = Wire.MergeQueueEngines["engines"][number]

type Group = EngineOf["groups"][number]

interface Props {
  readonly repository: Places.Repository
}

const GroupOf = ({ of: group, sign }: { readonly of: Group; readonly sign: Sign }) => (
  <li>
    <div class="queued">
      <div class="queued-head">
        <strong>{listed(sign, group.pulls)}</strong>
        <code>{group.id.slice(0, 10)}</code>
        <span class="muted">
          built <Time at={group.seen_at} />
          {group.attempt > 1 ? ` · attempt ${group.attempt}` : ""}
        </span>
      </div>
      <p>
        <Prose text={group.explanation} />
      </p>
      {group.checks.length === 0 ? null : (
        <ul class="executions">
          {group.checks.map((check) => (
            <li key={check.name}>
              <CheckState state={check.state} />
              <span class="grow">{check.name}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  </li>
)

const Findings = ({ of }: { readonly of: NonNullable<EngineOf["findings"]> }) => (
  <div
    class="table-wrap"
    tabIndex={0}
    role="group"
    aria-label="The rules of the repository, and what they mean for the queue"
  >
    <table class="rules">
      <thead>
        <tr>
          <th>Rule</th>
          <th>Level</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ level, message, rule }) => (
          <tr key={`${rule} ${message}`}>
            <th scope="row">{rule}</th>
            <td>{level}</td>
            <td>
              <Prose text={message} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Notes = ({
  of: { evicted, incident, returning, waiting },
  sign
}: {
  readonly of: EngineOf
  readonly sign: Sign
}) => (
  <>
    {incident === null ? null : (
      <p>
        Unrelated groups fail alike (<code>{incident.signature}</code>): nobody is evicted until one passes.
      </p>
    )}
    {waiting.length === 0 ? null : <p>The platform has built no group yet for {listed(sign, waiting)}.</p>}
    {returning.length === 0 ? null : <p>To be queued again: {listed(sign, returning)}.</p>}
    {evicted.map(({ explanation, number }) => (
      <p key={number}>
        <strong>{listed(sign, [number])}</strong> was evicted: <Prose text={explanation} />
      </p>
    ))}
  </>
)

/** The weeks of savings that are shown, this one included. */
const weeksShown = 4

const modes: Record<EngineOf["mode"], string> = { off: "off", mirror: "mirror", gate: "gate", drive: "driven" }

const asideOf = ({ is_acting: isActing, mode }: EngineOf): string =>
  `${modes[mode]}${(mode === "gate" || mode === "drive") && !isActing ? " in the shadow" : ""}`

const Groups = ({ of: groups, sign }: { readonly of: ReadonlyArray<Group>; readonly sign: Sign }) =>
  groups.length === 0 ? (
    <p class="muted">No group is tested now.</p>
  ) : (
    <ol class="queue">
      {groups.map((group) => (
        <GroupOf key={group.id} of={group} sign={sign} />
      ))}
    </ol>
  )

const EngineOfBranch = ({ of: engine, repository, sign }: Props & { readonly of: EngineOf; readonly sign: Sign }) => (
  <Section
    title={`${engine.mode === "drive" ? "Batches" : "Groups"} of ${engine.branch}`}
    aside={asideOf(engine)}
    hint={<Prose text={engine.explanation} />}
  >
    {engine.mode === "drive" ? (
      <Driven repository={repository} of={engine} />
    ) : (
      <Groups of={engine.groups} sign={sign} />
    )}
    <Notes of={engine} sign={sign} />
    {engine.savings.length === 0 ? null : (
      <ul class="facts">
        {engine.savings.slice(-weeksShown).map(({ sentence, week }) => (
          <li key={week}>{sentence}</li>
        ))}
      </ul>
    )}
    {engine.findings === null ? null : (
      <details open={engine.findings.some(({ level }) => level === "impossible")}>
        <summary>The rules of the repository</summary>
        <Findings of={engine.findings} />
      </details>
    )}
  </Section>
)

const Log = ({ branch, repository }: Props & { readonly branch: string }) => {
  const found = useResource(Routes.queueLog(repository, branch))
  return (
    <Section title={`Log of ${branch}`} aside="the newest first">
      <Loaded of={found} lines={4}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty title="Nothing has happened yet" />
          ) : (
            <ol class="queue-log">
              {lines.map(({ at, sentence, seq }) => (
                <li key={seq}>
                  <span class="muted" title={Format.at(Date.parse(at))}>
                    <Time at={at} />
                  </span>{" "}
                  <Prose text={sentence} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  )
}

/** A mirror is shown once it has read a group: its queue stands elsewhere on the page. */
const isShown = ({ groups, mode }: EngineOf): boolean => mode !== "mirror" || groups.length > 0

export const Engines = ({ repository }: Props) => {
  const found = useResource(Routes.queueEngines(repository))
  if (found.status !== "ready") return null
  const { engines, explanation, pull_sign: pullSign } = found.answer.body
  return (
    <>
      {explanation === null ? null : (
        <Section title="Groups">
          <p class="muted">
            <Prose text={explanation} />
          </p>
        </Section>
      )}
      {engines.filter(isShown).map((engine) => (
        <div class="stack" key={engine.branch}>
          <EngineOfBranch repository={repository} of={engine} sign={pullSign} />
          <Log repository={repository} branch={engine.branch} />
        </div>
      ))}
    </>
  )
}
