/** The page of the merge queue: its pull requests, its pause, its groups and its rules; it refreshes itself. */
import { usePolling, type Polling } from "../../data/Polling.ts"
import { isLoading, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import * as Session from "../../Session.ts"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded, PageSkeleton } from "../../ui/States.tsx"
import { Engines } from "./Engine.tsx"
import { Pause } from "./Pause.tsx"
import { PullRequest } from "./PullRequest.tsx"
import { useSign } from "./Sign.ts"
import { Rules } from "./Rules.tsx"

interface Props {
  readonly repository: Places.Repository
}

const seconds = 10

const Freshness = ({ failure, isOn, now, setOn, updatedAt }: Polling) => (
  <div class="freshness">
    <span class={failure === null ? "muted" : "outdated"} aria-live={failure === null ? "off" : "polite"}>
      {failure === null ? "Updated" : `${failure.title}. The page shows the state`} at {Format.clock(updatedAt)}
    </span>
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.currentTarget.checked)} />
      every {seconds} seconds
    </label>
    <button type="button" class="button" onClick={() => void now()}>
      Update now
    </button>
  </div>
)

const Nothing = () => (
  <Empty title="No pull request is queued">
    <p>
      A queue appears here as soon as the server receives its events: from the webhook of GitHub, or from events that
      are sent to <code>…/queue/events</code>. <a href={href(Places.manual)}>The manual says how</a>.
    </p>
  </Empty>
)

const Queues = ({ repository }: Props) => {
  const found = useResource(Routes.queues(repository))
  const paused = useResource(Routes.queuePause(repository))
  const sign = useSign(repository)
  const isPaused = paused.status === "ready" && paused.answer.body.pause !== null
  if (found.status === "failed" && found.failure.status === 404) {
    return (
      <Section title="Queues">
        <Nothing />
      </Section>
    )
  }
  return (
    <Loaded of={found} lines={8}>
      {({ queues }) =>
        queues.length === 0 ? (
          <Section title="Queues">
            <Nothing />
          </Section>
        ) : (
          <div class="stack">
            {queues.map(({ branch, pull_requests: pulls }) => (
              <Section
                key={branch.name}
                title={`Into ${branch.name}`}
                aside={`${Format.plural(pulls.length, "pull request")}, the next one first`}
              >
                <ol class="queue">
                  {pulls.map((pull) => (
                    <PullRequest key={pull.number} repository={repository} sign={sign} of={pull} isPaused={isPaused} />
                  ))}
                </ol>
              </Section>
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

const Shown = ({ repository }: Props) => {
  const polling = usePolling(Routes.queueOf(repository), seconds)
  const answers = [
    useResource(Routes.queues(repository)),
    useResource(Routes.queuePause(repository)),
    useResource(Routes.queueRules(repository))
  ]
  if (isLoading(answers)) return <PageSkeleton title={<PageTitle>Queue</PageTitle>} />
  return (
    <>
      <div class="page-head">
        <PageTitle>Queue</PageTitle>
        <Freshness {...polling} />
      </div>
      <Pause repository={repository} onDone={polling.now} />
      <Queues repository={repository} />
      <Engines repository={repository} />
      <Rules repository={repository} />
    </>
  )
}

export const QueuePage = ({ repository }: Props) => {
  const session = Session.useSession()
  if (session.status === "in" && session.application.scope === "ci") {
    return (
      <>
        <PageTitle>Queue</PageTitle>
        <Empty title="A CI key may not read the merge queue">
          You signed in with the key “{session.application.name}”, which is one for CI jobs: it reads and writes test
          results only. Sign out, and in again with an admin key of {repository.owner}.
        </Empty>
      </>
    )
  }
  return <Shown repository={repository} />
}
