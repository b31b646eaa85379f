/** The numbers of the policies as people read them. `npm run reference` generates the data from the domain. */
import generated from "./policies.json" with { type: "json" }

export interface Field {
  readonly name: string
  readonly label: string
  readonly reason: string
  readonly fallback: number
  readonly most: number
}

export interface Policy {
  readonly name: "health" | "outage" | "quarantine" | "auto_quarantine_policy" | "issue_policy" | "cost_policy"
  readonly title: string
  readonly fields: ReadonlyArray<Field>
}

/** Whether a number is a share: it is stored from 0 to 1, and shown in per cent. */
export const isShare = ({ most }: Pick<Field, "most">): boolean => most === 1

/** The unit of a number; a count has none. */
export const unitOf = (field: Pick<Field, "most" | "name">): string => {
  if (isShare(field)) return "%"
  const [unit = ""] = /(?:days|hours)(?=$|_)/u.exec(field.name) ?? []
  return unit
}

// JSON has no literal types; the names are those of the settings (a test compares them).
export const policies = generated as ReadonlyArray<Policy>
