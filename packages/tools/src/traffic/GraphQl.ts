/** The published schema of GitHub's GraphQL as a judge of exchanges: documents, variables, and the use of old fields. */
import { schema as published } from "@octokit/graphql-schema"
import { buildSchema, getVariableValues, Kind, NoDeprecatedCustomRule, parse, specifiedRules, validate } from "graphql"
import { child, type Json, type JsonObject } from "../descriptions/Json.ts"
import type { Exchange } from "./Exchange.ts"
import type { Judge } from "./OpenApi.ts"

/** The judge. An answer must have data or errors; its data were made by the executor from this schema. */
export const make = (): Judge => {
  const schema = buildSchema(published.idl, { assumeValid: true })
  return {
    judge: ({ answer, body, status }: Exchange) => {
      const given = { given: JSON.parse(body) as Json }
      const { query, variables = {} } = child(given, "given")
      const document = parse(typeof query === "string" ? query : "")
      const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
      const found = validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule])
      const values = getVariableValues(schema, operation?.variableDefinitions ?? [], variables as JsonObject)
      const name = operation?.selectionSet.selections.map((each) => (each.kind === Kind.FIELD ? each.name.value : "…"))
      return {
        operation: `GraphQL ${operation?.operation ?? ""} ${name?.join(", ") ?? ""}`,
        request: [...found, ...(values.errors ?? [])].map(({ message }) => message),
        answer: status === 200 && !/^\{"(?:data|errors)":/u.test(answer) ? ["has neither data nor errors"] : [],
        isUnlisted: false
      }
    }
  }
}
