/** The keys that work on every page. */
import { useLayoutEffect, useRef } from "preact/hooks"
import * as Keyboard from "../Keyboard.ts"

const Help = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={Keyboard.closeHelp}>
      <h2 id="keys-title">Keyboard</h2>
      <dl class="keys">
        {Keyboard.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-actions">
        <button type="button" class="button primary" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  )
}

export const Shortcuts = () => (Keyboard.useHelp() ? <Help /> : null)
