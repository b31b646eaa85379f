/** Questions to the GraphQL of GitHub, with decoded answers. */
import type { Repository } from "@lazaret/domain"
import type { ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import * as GraphQlAnswer from "./GraphQlAnswer.ts"

type Ref = Repository.RepositoryRef

/** A query with the schema of its answer. */
export interface Query<A> {
  readonly text: string
  readonly variables: object
  readonly answer: Schema.Codec<A, unknown>
}

/** Asks and changes. A mutation is not repeated after a failure. */
export interface Asking {
  readonly query: <A>(operation: string, ref: Ref, asked: Query<A>) => Effect.Effect<A, ForgeError>
  readonly mutate: (operation: string, ref: Ref, text: string, variables: object) => Effect.Effect<void, ForgeError>
}

/** Questions at a connection. */
export const make = (
  { apiUrl }: Pick<GitHubClient.Connection, "apiUrl">,
  client: GitHubClient.GitHubClient
): Asking => ({
  query: (operation, ref, { answer, text, variables }) =>
    Effect.flatMap(
      client.ask(operation, ref, (kit, options) =>
        kit.request(`POST ${graphqlUrl(apiUrl)}`, {
          query: text,
          variables: text.includes("$owner") ? { ...named(ref), ...variables } : variables,
          ...options
        })
      ),
      ({ data }) => GraphQlAnswer.decode(operation, ref, answer, data)
    ),
  mutate: (operation, ref, text, variables) =>
    Effect.flatMap(
      client.write(operation, ref, (kit, options) =>
        kit.request(`POST ${graphqlUrl(apiUrl)}`, { query: text, variables, ...options })
      ),
      ({ data }) => Effect.asVoid(GraphQlAnswer.decode(operation, ref, Schema.Unknown, data))
    )
})

const named = ({ owner, repository }: Ref) => ({ owner, name: repository })

/** A server of GitHub Enterprise has GraphQL next to its version 3. */
const graphqlUrl = (apiUrl: string): string => `${apiUrl.replace(/\/api\/v3\/?$/u, "/api").replace(/\/$/u, "")}/graphql`
