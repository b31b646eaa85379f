/** The fields of every quarantine: reason and branches. */

/** Both as they are typed; an empty branch is every branch. */
export interface Terms {
  readonly reason: string
  readonly branch: string
}

export const noTerms: Terms = { reason: "", branch: "" }

/** The fields of the body that creates a quarantine. */
export const bodyOf = ({ branch, reason }: Terms) => ({
  reason,
  ...(branch.trim() === "" ? {} : { branch: branch.trim() })
})

export const QuarantineFields = (props: { readonly terms: Terms; readonly onChange: (terms: Terms) => void }) => (
  <>
    <div class="field">
      <label for="quarantine-reason">Reason</label>
      <textarea
        id="quarantine-reason"
        required
        rows={3}
        maxLength={10_000}
        placeholder="Owner and ticket"
        value={props.terms.reason}
        onInput={(event) => props.onChange({ ...props.terms, reason: event.currentTarget.value })}
      />
    </div>
    <div class="field">
      <label for="quarantine-branch">Branch</label>
      <input
        id="quarantine-branch"
        maxLength={255}
        placeholder="all branches"
        value={props.terms.branch}
        onInput={(event) => props.onChange({ ...props.terms, branch: event.currentTarget.value })}
      />
    </div>
  </>
)
