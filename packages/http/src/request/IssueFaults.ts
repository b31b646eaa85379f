/** The faults of a request from the issues of the schemas that refused it. */
import type { Problem } from "@lazaret/api"
import { QueueEvent } from "@lazaret/queue"
import { SchemaAST, SchemaIssue } from "effect"

/** The part of a request that a schema decodes. */
export type Slot = "Params" | "Query" | "Payload"

/**
 * Every fault of a decoded part of a request, each once.
 *
 * **Details**
 *
 * - `location` is the part of the request and the path within it, such as `query.end`.
 * - The members of a union share fields, so that equal faults of several members are one fault.
 * - A fault that only repeats what other faults say is left out (`QueueEvent.isImplied`).
 */
export const of = (slot: Slot, issue: SchemaIssue.Issue): ReadonlyArray<Problem.Fault> =>
  distinct(
    leavesOf(issue, { slot, path: [locations[slot]], message: undefined }).map(({ message, path }) => ({
      location: path.map(String).join("."),
      message: shortened(message)
    }))
  )

/** Faults without repetitions. */
export const distinct = (faults: ReadonlyArray<Problem.Fault>): ReadonlyArray<Problem.Fault> => [
  ...new Map(faults.map((fault) => [`${fault.location}\0${fault.message}`, fault])).values()
]

const locations: { readonly [S in Slot]: string } = { Params: "path", Query: "query", Payload: "body" }

interface Place {
  readonly slot: Slot
  readonly path: ReadonlyArray<PropertyKey>
  /** The message of an enclosing check, which describes the fault better than the issue inside it. */
  readonly message: string | undefined
}

interface Leaf {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const leavesOf = (issue: SchemaIssue.Issue, place: Place): ReadonlyArray<Leaf> => {
  switch (issue._tag) {
    case "Pointer":
      return leavesOf(issue.issue, { ...place, path: [...place.path, ...issue.path] })
    case "Encoding":
      return leavesOf(issue.issue, place)
    case "Filter":
      if (QueueEvent.isImplied(issue.filter.annotations)) return []
      return leavesOf(issue.issue, { ...place, message: place.message ?? checkMessage(issue) })
    case "Composite":
      return issue.issues.flatMap((each) => leavesOf(each, place))
    case "AnyOf":
      return issue.issues.length === 0
        ? [leaf(place, annotated(issue.ast) ?? `must be ${expected(issue.ast)}`)]
        : issue.issues.flatMap((each) => leavesOf(each, place))
    case "InvalidType":
      return [leaf(place, annotated(issue.ast) ?? invalidType(issue, place))]
    case "InvalidValue":
      return [leaf(place, place.path.length === 1 ? "must be valid JSON" : invalidValue(issue))]
    case "MissingKey":
      return [leaf(place, "is required")]
    case "UnexpectedKey":
      return [leaf(place, "is not a known field")]
    case "OneOf":
      return [leaf(place, "matches several alternatives")]
    case "Forbidden":
      return [leaf(place, "is not allowed")]
  }
}

const leaf = ({ message, path }: Place, own: string): Leaf => ({ path, message: message ?? own })

const checkMessage = (issue: SchemaIssue.Filter): string | undefined => {
  const message = SchemaIssue.defaultCheckHook(issue)
  if (message !== undefined || issue.issue._tag !== "InvalidValue") return message
  const description = issue.filter.annotations?.["expected"]
  return typeof description === "string" ? `must be ${description}` : undefined
}

const annotated = (ast: SchemaAST.AST): string | undefined => {
  const message = ast.annotations?.["message"]
  return typeof message === "string" ? message : undefined
}

/** A query holds text; it holds an array where a parameter is given several times. */
const invalidType = ({ ast }: SchemaIssue.InvalidType, { slot }: Place): string =>
  slot === "Query" && ast._tag === "String" ? "must be given once" : `must be ${expected(ast)}`

const invalidValue = (issue: SchemaIssue.InvalidValue): string => {
  const { expected: description, message } = issue.annotations ?? {}
  if (typeof message === "string") return message
  return typeof description === "string" ? `must be ${description}` : "is not a valid value"
}

/** The values that a schema accepts, as a noun: those of the wire, not those that they are decoded to. */
const expected = (decoded: SchemaAST.AST): string => {
  const ast = SchemaAST.toEncoded(decoded)
  switch (ast._tag) {
    case "String":
      return ast.annotations?.["format"] === "date-time" ? "an ISO 8601 date and time" : "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "a JSON object"
    case "Union":
      return tagged(ast) ?? [...new Set(ast.types.map(expected))].join(" or ")
    default:
      return "a valid value"
  }
}

/** The fields of an object that have one value, with it. */
const literalFields = (ast: SchemaAST.AST): ReadonlyMap<PropertyKey, SchemaAST.LiteralValue> =>
  new Map(
    SchemaAST.isObjects(ast)
      ? ast.propertySignatures.flatMap(({ name, type }) =>
          SchemaAST.isLiteral(type) ? [[name, type.literal] as const] : []
        )
      : []
  )

/** Objects that one field tells apart, with its values. */
const tagged = ({ types }: SchemaAST.Union): string | undefined => {
  const literals = types.map(literalFields)
  const field = [...(literals[0]?.keys() ?? [])].find((name) => literals.every((each) => each.has(name)))
  return field === undefined
    ? undefined
    : `a JSON object whose ${String(field)} is ${literals.map((each) => JSON.stringify(each.get(field))).join(" or ")}`
}

const longestMessage = 500

/** A message of a check can quote a value of any length. */
const shortened = (message: string): string =>
  message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`
