/** The page on the routes: what `/openapi.json` says, for reading. */
import * as Markdown from "./Markdown.ts"

/** An API description, as far as the page shows it. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly deprecated?: boolean
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The page on these routes, a line for each, tag by tag. */
export const make = (api: Description): string => {
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation }))
  )
  return Markdown.page([
    "# HTTP routes",
    Markdown.generated,
    `A running server shows each operation with its parameters, bodies and examples, to try out, as \`/docs\`, and gives the same to programs as
\`/openapi.json\`. Failures are [problem documents](errors.md); lists that go on have a \`Link\` header. The path parameters \`owner\` and
\`repository\` name the repository, without regard to case. \`…\` stands for \`${repositoryPath}\`.`,
    ...api.tags.flatMap(({ description = "", name }) => {
      const those = routes.filter(({ operation }) => operation.tags.includes(name))
      const rows = those.map(({ operation, route }) => rowOf(route, operation))
      return those.length === 0
        ? []
        : [`## ${name}`, description, Markdown.table(["Route", "Operation", "Summary", "For"], rows)]
    })
  ])
}

const repositoryPath = "/v1/ci/{owner}/repositories/{repository}"

const rowOf = (route: string, operation: Operation): ReadonlyArray<string> => [
  Markdown.code(route.replace(repositoryPath, "…")),
  Markdown.code(operation.operationId),
  `${operation.summary ?? ""}${operation.deprecated === true ? " (deprecated)" : ""}`,
  callersOf(operation)
]

const callersOf = ({ security = [] }: Operation): string => {
  const names = security.flatMap((each) => Object.keys(each))
  return names.length === 0 ? "everyone" : names.map((name) => callers[name] ?? name).join(", ")
}

const callers: Readonly<Record<string, string>> = {
  AdminApplicationKey: "admin keys",
  CiApplicationKey: "CI keys",
  HostingPlatformToken: "tokens of the hosting platform"
}
