/** The page on what a store must do: the sentences of the conformance suite. */
import * as Markdown from "./Markdown.ts"

/** A case of the suite, as far as the page shows it. */
export interface Law {
  readonly port: string
  readonly name: string
}

/** The laws of a driver, of the executions that it keeps, and of the rules over its rows. */
export interface Laws {
  readonly driver: ReadonlyArray<Law>
  readonly executions: ReadonlyArray<Law>
  readonly rules: ReadonlyArray<Law>
}

/** The page on these laws, port by port. */
export const make = ({ driver, executions, rules }: Laws): string =>
  Markdown.page([
    "# The contract of a store",
    Markdown.generated,
    `A store keeps facts for Lazaret. Each sentence below is a rule that it keeps, and a test. The package
\`@lazaret/store-conformance\` runs the first two parts against a driver of yours ([an example](../../examples/a-store-of-your-own/README.md)).
The drivers in memory and on PostgreSQL pass all of them. How the ports look is in [the source of the driver](../../packages/store/src/Driver.ts)
and of [the ports](../../packages/store/src/index.ts).`,
    "## The driver",
    listOf(driver),
    "## Executions and the questions about them",
    ...byPort(executions),
    "## Rules over plain rows",
    "These ports use the driver alone, so they are the same for every driver. They are tested once, in memory.",
    ...byPort(rules)
  ])

const byPort = (laws: ReadonlyArray<Law>): ReadonlyArray<string> =>
  [...new Set(laws.map(({ port }) => port))].flatMap((port) => [
    `### ${port}`,
    listOf(laws.filter((law) => law.port === port))
  ])

const listOf = (laws: ReadonlyArray<Law>): string => laws.map(({ name }) => `- ${name}`).join("\n")
