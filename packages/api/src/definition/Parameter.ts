/** Parameters of paths and queries: text on the wire, checked and typed behind it (interface 2.1, 4, 8). */
import { Repository, TestId, Failure } from "@lazaret/domain"
import { Schema, SchemaTransformation } from "effect"

/** The keyword with the schema that the OpenAPI document shows for a parameter instead of "string". */
export const documentedAs = "x-documented-as"

/**
 * A check that always succeeds and defines the schema that the OpenAPI document shows.
 *
 * A query can hold text only, but users of the OpenAPI document need "integer, 1 to 100".
 */
export const shownAs = (schema: Record<string, string | number>) =>
  Schema.makeFilter<string>(() => undefined, { toJsonSchema: () => ({ [documentedAs]: schema }) })

/** The parameters that name a repository (interface 2.1). */
export const repository = {
  owner: Repository.Owner.annotate({ description: "The owner of the repository.", examples: ["acme"] }),
  repository: Repository.RepositoryName.annotate({
    description: "The name of the repository.",
    examples: ["widgets"]
  })
}

/** A UUID in either case is the same UUID. */
const lowerCase = <S extends Schema.Codec<string>>(schema: S) =>
  schema.pipe(Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()))

/** A test id in a path (interface 2.3). */
export const testId = lowerCase(
  TestId.TestId.annotate({
    description: "The stable identifier of a test, as the search shows it.",
    examples: [TestId.of("suite > adds")]
  })
)

/** A failure id in a path (interface 2.7). */
export const failureId = lowerCase(
  Failure.FailureId.annotate({ description: "The identifier of a failure of the test." })
)

/** Any UUID in a path or query. */
export const uuid = (description: string) => lowerCase(Schema.String.check(Schema.isUUID()).annotate({ description }))

/** A whole number in a query, written in decimal digits and nothing else. */
export const integer = (description: string, { default: value, ...range }: IntegerRange) => {
  const message = `must be a whole number from ${range.minimum} to ${range.maximum}`
  return Schema.String.check(
    Schema.isPattern(/^[0-9]+$/u, { message }),
    shownAs({ type: "integer", ...range, ...(value === undefined ? {} : { default: value }), description })
  ).pipe(
    Schema.decodeTo(
      Schema.Finite.check(Schema.isInt({ message }), Schema.isBetween(range, { message })),
      SchemaTransformation.numberFromString
    )
  )
}

interface IntegerRange {
  readonly minimum: number
  readonly maximum: number
  readonly default?: number
}

/** The range of the number of rows on a page (interface 4, 8). */
export const perPageRange = { minimum: 1, maximum: 100 }

/** The number of rows on a page when the request does not state it (our choice, interface 4 is silent). */
export const defaultPerPage = 10

/** The parameters of every list with cursors (interface 4). */
export const page = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "A place in the list: a value from a `Link` header of the same list, unchanged."
    })
  ),
  per_page: Schema.optionalKey(integer("The number of rows on a page.", { ...perPageRange, default: defaultPerPage }))
}
