/** Parameters of paths and queries: text on the wire, checked and typed behind it (interface 2.1, 4, 8). */
import { Repository, TestId, Failure } from "@lazaret/domain"
import { Schema, SchemaTransformation } from "effect"

/** The keyword under which a parameter says how the API description shows it, when that differs from "text". */
export const documentedAs = "x-documented-as"

/**
 * A check that always holds and that says how the API description shows the parameter.
 *
 * A query can only hold text, but a reader of the description wants to see "integer, 1 to 100".
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
export const integer = (description: string, range: { readonly minimum: number; readonly maximum: number }) => {
  const message = `must be a whole number from ${range.minimum} to ${range.maximum}`
  return Schema.String.check(
    Schema.isPattern(/^[0-9]+$/u, { message }),
    shownAs({ type: "integer", ...range, description })
  ).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween(range, { message })).annotate({ message }),
      SchemaTransformation.numberFromString
    )
  )
}

/** How many rows a page has (interface 4, 8). */
export const perPage = (description: string) => integer(description, { minimum: 1, maximum: 100 })

/** How many rows a page has when the request does not say (our choice, interface 4 is silent). */
export const defaultPerPage = 10

/** The parameters of every list with cursors (interface 4). */
export const page = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "A place in the list: taken unchanged from a `Link` header of the same list."
    })
  ),
  per_page: Schema.optionalKey(perPage(`How many rows a page has; ${defaultPerPage} unless it is given.`))
}
