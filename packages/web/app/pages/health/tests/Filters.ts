/** The filters of the tests page: the parameters of the list, in the address of the page. */
import type { Operations } from "@lazaret/api"

type Query = Operations["listTests"]["query"]

export type Sort = NonNullable<Query["sort"]>

/** The orders, each with the direction that people want first. */
export const sorts: ReadonlyArray<readonly [Sort, string, "asc" | "desc"]> = [
  ["attention", "what needs attention", "desc"],
  ["failure_ratio", "failure rate", "desc"],
  ["executions_count", "runs", "desc"],
  ["last_failure_at", "last failure", "desc"],
  ["mean_duration", "duration", "desc"],
  ["first_seen_at", "first seen", "desc"],
  ["test_name", "name", "asc"],
  ["pipeline_name", "pipeline", "asc"],
  ["job_name", "job", "asc"]
]

/** Every parameter that narrows the list. */
export const parameters = ["search", "health_status", "quarantined", "pipeline_name", "job_name", "owner"] as const

export type Parameter = (typeof parameters)[number]

const defaultPerPage = 25

/** The parameters of the list; those that it does not know stay in the address and out of the request. */
export const questionOf = (query: URLSearchParams): URLSearchParams => {
  const known = new Set<string>([...parameters, "sort", "direction", "cursor", "per_page"])
  const question = new URLSearchParams([...query].filter(([name]) => known.has(name)))
  if (!question.has("per_page")) question.set("per_page", String(defaultPerPage))
  return question
}

/** The order that holds. */
export const sortOf = (query: URLSearchParams): { readonly sort: Sort; readonly direction: "asc" | "desc" } => {
  const [first] = sorts
  const [sort, , usual] =
    sorts.find(([name]) => name === query.get("sort")) ?? first ?? (["attention", "", "desc"] as const)
  const direction = query.get("direction")
  // Without a direction the list is descending.
  return {
    sort,
    direction: direction === "asc" || direction === "desc" ? direction : query.has("sort") ? "desc" : usual
  }
}

/** The parameters of an order: those of the usual one are left out. */
export const orderOf = (sort: Sort, direction?: "asc" | "desc") => {
  const usual = sorts.find(([name]) => name === sort)?.[2] ?? "desc"
  const wanted = direction ?? usual
  return { sort: sort === "attention" ? null : sort, direction: wanted === "desc" ? null : wanted }
}

/** The filters that hold, one for each value. */
export const activeIn = (query: URLSearchParams): ReadonlyArray<Parameter> =>
  parameters.flatMap((name) => query.getAll(name).flatMap((value) => (value === "" ? [] : [name])))

/** No filter. */
export const none: Readonly<Record<string, null>> = Object.fromEntries(parameters.map((name) => [name, null]))
