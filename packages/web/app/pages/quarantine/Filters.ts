/** The filters of the quarantine page; they stand in the address. */
import type { Wire } from "@lazaret/api"

export const sources = ["manual", "auto"] as const

export const states = ["recovered", "not recovered"] as const

/** Every parameter that narrows the list. */
export const parameters = ["test", "branch", "source", "state"] as const

/** How a quarantine of every branch stands in the choice of branches; no branch has a name with a space. */
const everyBranch = "all branches"

const stateOf = (row: Wire.QuarantinedTest): string => (row.is_recovered ? "recovered" : "not recovered")

/** The branches of quarantines, those of every branch first. */
export const branchesOf = (rows: ReadonlyArray<Wire.QuarantinedTest>): ReadonlyArray<string> => {
  const names = new Set(rows.map((row) => row.branch ?? everyBranch))
  return [...names].toSorted((a, b) => Number(b === everyBranch) - Number(a === everyBranch) || a.localeCompare(b))
}

/** The rows that match what the address asks for, without regard to case; values of one parameter are alternatives. */
export const matching = (
  rows: ReadonlyArray<Wire.QuarantinedTest>,
  query: URLSearchParams
): ReadonlyArray<Wire.QuarantinedTest> => {
  const text = (query.get("test") ?? "").toLowerCase()
  const holds = (name: string, value: string) => !query.has(name) || query.getAll(name).includes(value)
  return rows.filter(
    (row) =>
      row.test_name.toLowerCase().includes(text) &&
      holds("branch", row.branch ?? everyBranch) &&
      holds("source", row.source ?? "manual") &&
      holds("state", stateOf(row))
  )
}
