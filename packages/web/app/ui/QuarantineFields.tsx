/** The fields of every new quarantine, and the requests that create one. */
import * as Fetch from "../data/Fetch.ts"
import * as Routes from "../data/Routes.ts"
import type * as Places from "../Places.ts"
import { instantOf, type Life, LifeFields, textOf } from "./LifeFields.tsx"

/** All fields as they are typed; an empty branch is every branch. */
export interface Terms extends Life {
  readonly reason: string
  readonly branch: string
}

export const noTerms: Terms = { reason: "", branch: "", day: "", owner: "", ticket: "" }

/** Puts a test into quarantine. What is left empty gets the default of the repository. */
export const create = async (
  repository: Places.Repository,
  testName: string,
  { branch, day, owner, reason, ticket }: Terms
): Promise<Fetch.Answer<unknown> | Fetch.Failure> => {
  const created = await Fetch.send("POST", Routes.createQuarantine(repository), {
    test_name: testName,
    reason,
    ...(branch.trim() === "" ? {} : { branch: branch.trim() })
  })
  if (Fetch.isFailure(created)) return created
  const life = {
    ...(day === "" ? {} : { expires_at: instantOf(day) }),
    ...(textOf(owner) === null ? {} : { owner: textOf(owner) }),
    ...(textOf(ticket) === null ? {} : { ticket: textOf(ticket) })
  }
  if (Object.keys(life).length === 0) return created
  const changed = await Fetch.send("PATCH", Routes.quarantineLife(repository, created.body.id), life)
  if (!Fetch.isFailure(changed)) return created
  // A quarantine without its end must not go unnoticed: if this fails, nothing is quarantined.
  await Fetch.send("DELETE", Routes.deleteQuarantine(repository, created.body.id))
  return changed
}

/** The meaning of a quarantine of a broken test; renders nothing for another test. */
export const BrokenNote = ({ names }: { readonly names: ReadonlyArray<string> }) =>
  names.length === 0 ? null : (
    <p class="warning" role="note">
      <strong>{names.join(", ")}</strong> {names.length === 1 ? "is" : "are"} broken, not flaky: a quarantine hides that
      the default branch fails, and whatever else breaks there meanwhile. Give it an end and an owner, or revert the
      change that broke it.
    </p>
  )

export const QuarantineFields = (props: { readonly terms: Terms; readonly onChange: (terms: Terms) => void }) => (
  <>
    <div class="field">
      <label for="quarantine-reason">Reason</label>
      <textarea
        id="quarantine-reason"
        required
        rows={3}
        maxLength={10_000}
        placeholder="What fails, and what is known of it"
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
    <LifeFields
      life={props.terms}
      withoutEnd="as the settings say"
      onChange={(life) => props.onChange({ ...props.terms, ...life })}
    />
  </>
)
