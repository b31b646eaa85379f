/** The page on who may do what, from the demands that the operations declare. */
import { Api, Operation } from "@lazaret/api"
import { ApplicationKey, Credential } from "@lazaret/domain"
import { Option } from "effect"
import * as Markdown from "./Markdown.ts"

/** Builds the page. */
export const make = (): string =>
  Markdown.page([
    "# Who may do what",
    Markdown.generated,
    `The least that a caller needs for each operation: a scope of an application key, a permission of a token of the hosting platform in the
repository, and a [role](../how-to/sign-in.md#roles) of a person who signed in. A higher role holds what a lower one holds, and a key of the scope
\`admin\` what every other key holds, except uploads of narrow keys. "–" means that no such caller may. An operation of a repository needs the role in
this repository; one without a repository needs it for an owner, a viewer anywhere, and one *of all owners* needs a key or a role that holds everywhere.`,
    ...Object.values(Api.groups).flatMap((group) => [
      `## ${group.identifier}`,
      Markdown.table(["Operation", "Keys", "Platform token", "Role"], Object.values(group.endpoints).map(row))
    ])
  ])

const row = (endpoint: Parameters<typeof Operation.demandOf>[0]): ReadonlyArray<string> => {
  const name = `\`${endpoint.method} ${endpoint.path}\``
  return Option.match(Operation.demandOf(endpoint), {
    onNone: () => [name, "everybody", "everybody", "everybody"],
    onSome: (demand) => [`${name}${demand.reach === undefined ? "" : ", *of all owners*"}`, ...cells(demand)]
  })
}

const cells = (demand: Credential.Demand): ReadonlyArray<string> => {
  const scopes = ApplicationKey.Scope.literals.filter((scope) => Credential.accepts(demand, scope))
  return [
    scopes.length === 0 ? "–" : scopes.map((scope) => `\`${scope}\``).join(", "),
    demand.kinds.includes("platform") ? demand.permission : "–",
    demand.role === undefined ? "–" : `\`${demand.role}\``
  ]
}
