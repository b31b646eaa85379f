/** A question in front of the page: a native dialog, which keeps the focus and closes on Escape. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Failure } from "../data/Fetch.ts"

export const Dialog = (props: {
  readonly title: string
  readonly action: string
  readonly isDangerous?: boolean
  readonly children?: ComponentChildren
  /** Does it; a failure is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<Failure | null>
  readonly onClose: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  // Open the dialog before the next key press, which is meant for it.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    const failed = await props.onConfirm()
    setIsBusy(false)
    if (failed === null) props.onClose()
    else setFailure(failed)
  }
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{props.title}</h2>
        {props.children}
        {failure === null ? null : (
          <p class="form-failure" role="alert">
            {failure.title}: {failure.detail}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class={`button ${props.isDangerous === true ? "danger" : "primary"}`} disabled={isBusy}>
            {props.action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
