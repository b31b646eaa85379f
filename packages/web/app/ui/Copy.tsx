/** A line to take elsewhere, with a button that copies it. */
import { useEffect, useState } from "preact/hooks"

export const Copy = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [state, setState] = useState<"" | "Copied" | "Select the line and copy it by hand">("")
  useEffect(() => setState(""), [text])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState("Copied")
    } catch {
      // Without https a browser offers no clipboard.
      setState("Select the line and copy it by hand")
    }
  }
  return (
    <div class="copy">
      <code tabIndex={0} aria-label={label} role="group">
        {text}
      </code>
      <button type="button" class="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span class="hint" aria-live="polite">
        {state}
      </span>
    </div>
  )
}
