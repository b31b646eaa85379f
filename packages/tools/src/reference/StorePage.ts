/** The page on what a store must do: the sentences of the conformance suite. */
import * as Markdown from "./Markdown.ts"

/** A case of the suite, as far as the page shows it. */
export interface Law {
  readonly port: string
  readonly name: string
}

/** The page on these laws, port by port. */
export const make = (laws: ReadonlyArray<Law>): string => {
  const ports = [...new Set(laws.map(({ port }) => port))]
  return Markdown.page([
    "# The contract of a store",
    Markdown.generated,
    `A store keeps facts for Lazaret. Each sentence below is a rule that it keeps, and a test: the package
\`@lazaret/store-conformance\` runs them against a layer of yours ([an example](../../examples/a-store-of-your-own/README.md)).
The stores in memory and on PostgreSQL pass all of them. How the ports look is in [the source of the ports](../../packages/store/src/index.ts).`,
    ...ports.flatMap((port) => [
      `## ${port}`,
      laws
        .filter((law) => law.port === port)
        .map(({ name }) => `- ${name}`)
        .join("\n")
    ])
  ])
}
