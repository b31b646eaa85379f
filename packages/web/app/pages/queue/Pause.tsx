/** The pause of the merge queue, with the dialogs that begin and end it. */
import { useState } from "preact/hooks"
import * as Fetch from "../../data/Fetch.ts"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly onDone: () => Promise<void>
}

const onlyShown = "The pause is only shown: this queue has no active gate, so the hosting platform continues to merge."

const PauseDialog = ({ onClose, onDone, repository }: Props & { readonly onClose: () => void }) => {
  const [reason, setReason] = useState("")
  const pause = async () => {
    const answer = await Fetch.send("PUT", Routes.pauseQueue(repository), { reason })
    if (Fetch.isFailure(answer)) return answer
    await onDone()
    return null
  }
  return (
    <Dialog title="Pause the merge queue" action="Pause" onConfirm={pause} onClose={onClose}>
      <p class="muted">The pause holds on every branch of the repository.</p>
      <div class="field">
        <label for="pause-reason">Reason</label>
        <input
          id="pause-reason"
          required
          maxLength={255}
          placeholder="reason of the pause"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </Dialog>
  )
}

const ResumeDialog = ({ onClose, onDone, repository }: Props & { readonly onClose: () => void }) => {
  const resume = async () => {
    const answer = await Fetch.send("DELETE", Routes.unpauseQueue(repository))
    // Another person has ended the pause already.
    if (Fetch.isFailure(answer) && answer.status !== 404) return answer
    await onDone()
    return null
  }
  return (
    <Dialog title="Resume the merge queue" action="Resume" onConfirm={resume} onClose={onClose}>
      <p class="muted">Pull requests are merged again from now on.</p>
    </Dialog>
  )
}

export const Pause = (props: Props) => {
  const found = useResource(Routes.queuePause(props.repository))
  const [isAsking, setIsAsking] = useState<"pause" | "resume" | null>(null)
  const close = () => setIsAsking(null)
  if (found.status === "failed" && found.failure.status === 404) return null
  return (
    <>
      <Loaded of={found} lines={1}>
        {({ effect, pause }) => (
          <section class={`card pause ${pause === null ? "" : "paused"}`} aria-label="Pause">
            {pause === null ? (
              <p class="muted">The queue is running.</p>
            ) : (
              <div>
                <p>
                  <strong>The queue is paused</strong>{" "}
                  <span title={Format.at(Date.parse(pause.pause_date))}>
                    (since <Time at={pause.pause_date} />)
                  </span>
                </p>
                <p class="reason">{pause.reason === "" ? "No reason was given." : pause.reason}</p>
                {effect === "only_shown" ? <p class="muted">{onlyShown}</p> : null}
              </div>
            )}
            <button type="button" class="button" onClick={() => setIsAsking(pause === null ? "pause" : "resume")}>
              {pause === null ? "Pause" : "Resume"}
            </button>
          </section>
        )}
      </Loaded>
      {isAsking === "pause" ? <PauseDialog {...props} onClose={close} /> : null}
      {isAsking === "resume" ? <ResumeDialog {...props} onClose={close} /> : null}
    </>
  )
}
