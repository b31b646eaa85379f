/** The filters of the tests page: the parameters of the search route, in the address of the page. */

export const nameFields = [
  ["test_name", "Name"],
  ["pipeline_name", "Pipeline"],
  ["job_name", "Job"]
] as const

export type NameField = (typeof nameFields)[number][0]

const levels = ["low", "medium", "high"] as const

export const choices = [
  ["health_status", "Health", ["healthy", "flaky", "broken"]],
  ["health_confidence", "Confidence", levels],
  ["failed_executions_impact", "Impact", levels]
] as const

export const sorts = [
  ["executions_count", "runs"],
  ["failed_executions_ratio", "share of failures"],
  ["failed_executions_impact", "impact"],
  ["health_status", "health"],
  ["health_confidence", "confidence"],
  ["test_name", "name"],
  ["pipeline_name", "pipeline"],
  ["job_name", "job"]
] as const

export type Sort = (typeof sorts)[number][0]

/** Every parameter that narrows the list. */
export const parameters: ReadonlyArray<string> = [...nameFields, ...choices].flatMap(([name]) => [
  name,
  `${name}_exclude`
])

const defaultPerPage = 25

/** The parameters of the search route; those that it does not know stay in the address and out of the request. */
export const questionOf = (query: URLSearchParams): URLSearchParams => {
  const known = new Set([...parameters, "sort", "direction", "cursor", "per_page"])
  const question = new URLSearchParams([...query].filter(([name]) => known.has(name)))
  if (!question.has("per_page")) question.set("per_page", String(defaultPerPage))
  return question
}

/**
 * The pattern of what somebody typed: found anywhere in the name, unless the text has a `*` or `?` of its own. A `!` in
 * front excludes.
 */
export const patternOf = (text: string): { readonly pattern: string; readonly isExcluded: boolean } => {
  const isExcluded = text.startsWith("!")
  const bare = (isExcluded ? text.slice(1) : text).trim()
  const pattern = bare === "" || /[*?]/u.test(bare) ? bare : `*${bare}*`
  return { pattern, isExcluded }
}

/** A pattern as people read it: `*cart*` is "cart". */
export const shownPattern = (pattern: string): string => /^\*([^*?]+)\*$/u.exec(pattern)?.[1] ?? pattern

/** One filter that holds, for the list of them. */
export interface Active {
  readonly parameter: string
  readonly value: string
  readonly label: string
}

/** The filters that hold, in the order of the fields. */
export const activeIn = (query: URLSearchParams): ReadonlyArray<Active> =>
  [...nameFields, ...choices].flatMap(([name, label]) =>
    [name, `${name}_exclude`].flatMap((parameter) =>
      query.getAll(parameter).map((value) => ({
        parameter,
        value,
        label: `${label.toLowerCase()} ${parameter === name ? "" : "not "}${shownPattern(value)}`
      }))
    )
  )

/** The values of a parameter without one of them. */
export const without = (query: URLSearchParams, { parameter, value }: Active): ReadonlyArray<string> =>
  query.getAll(parameter).filter((each) => each !== value)

/** The values of a parameter with one of them switched. */
export const toggled = (query: URLSearchParams, parameter: string, value: string): ReadonlyArray<string> => {
  const values = query.getAll(parameter)
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
}
