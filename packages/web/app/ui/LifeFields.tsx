/** The fields of the life of a quarantine: its end, its owner and its ticket. */

/** The fields as they are typed: `day` is a date (UTC). An empty text stands for none. */
export interface Life {
  readonly day: string
  readonly owner: string
  readonly ticket: string
}

/** The instant at which a day begins, as a body of the API has it; null without a day. */
export const instantOf = (day: string): string | null => (day === "" ? null : `${day}T00:00:00Z`)

/** A text as a body of the API has it; null when it is empty. */
export const textOf = (text: string): string | null => (text.trim() === "" ? null : text.trim())

export const LifeFields = (props: {
  readonly life: Life
  /** Says what an empty end means. */
  readonly withoutEnd: string
  readonly onChange: (life: Life) => void
}) => {
  const { life, onChange, withoutEnd } = props
  return (
    <>
      <div class="field">
        <label for="life-day">Ends on (UTC); empty: {withoutEnd}</label>
        <input
          id="life-day"
          type="date"
          value={life.day}
          onInput={(event) => onChange({ ...life, day: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="life-owner">Owner</label>
        <input
          id="life-owner"
          maxLength={255}
          placeholder="the owners of its file"
          value={life.owner}
          onInput={(event) => onChange({ ...life, owner: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="life-ticket">Ticket</label>
        <input
          id="life-ticket"
          type="url"
          maxLength={2000}
          placeholder="https://…"
          value={life.ticket}
          onInput={(event) => onChange({ ...life, ticket: event.currentTarget.value })}
        />
      </div>
    </>
  )
}
