/** The page on the routes: what `/openapi.json` says, for reading. */
import * as Markdown from "./Markdown.ts"

/** An API description, as far as the page shows it. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly default?: unknown
}

/** The page on these routes, tag by tag. */
export const make = (api: Description): string => {
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation }))
  )
  return Markdown.page([
    "# HTTP routes",
    Markdown.generated,
    `The running server has the same, with every field, as \`/openapi.json\`, and to try out as \`/docs\`. Failures are
[problem documents](errors.md); lists that go on have a \`Link\` header. The path parameters \`owner\` and \`repository\`
name the repository, without regard to case.`,
    ...api.tags.flatMap(({ description = "", name }) => {
      const those = routes.filter(({ operation }) => operation.tags.includes(name))
      return those.length === 0
        ? []
        : [`## ${name}`, description, ...those.flatMap((each) => sectionOf(each.route, each.operation, api))]
    })
  ])
}

const sectionOf = (route: string, operation: Operation, api: Description): ReadonlyArray<string> => {
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== "owner" && name !== "repository")
  return [
    `### ${route}`,
    `**${operation.summary ?? ""}.**${operation.deprecated === true ? " Deprecated." : ""} ${operation.description ?? ""}`.trim(),
    `For ${callersOf(operation)}. Answers ${Object.keys(operation.responses).join(", ")}.`,
    parameters.length === 0 ? "" : Markdown.table(["Parameter", "In", "Type", "Meaning"], parameters.map(rowOf(api))),
    bodyOf(operation),
    exampleOf(operation)
  ]
}

const callersOf = ({ security = [] }: Operation): string => {
  const names = security.flatMap((each) => Object.keys(each))
  return names.length === 0 ? "everyone" : names.map((name) => callers[name] ?? name).join(", ")
}

const callers: Readonly<Record<string, string>> = {
  AdminApplicationKey: "admin keys",
  CiApplicationKey: "CI keys",
  HostingPlatformToken: "tokens of the hosting platform"
}

const rowOf =
  (api: Description) =>
  ({ description = "", in: place, name, required, schema }: Parameter): ReadonlyArray<string> => [
    `${Markdown.code(name)}${required === true && place !== "path" ? " (required)" : ""}`,
    place,
    typeOf(schema, api),
    description
  ]

const typeOf = (schema: Schema, api: Description): string => {
  if (schema.$ref !== undefined) {
    const found = api.components.schemas[schema.$ref.split("/").at(-1) ?? ""]
    return found === undefined ? "" : typeOf(found, api)
  }
  if (schema.enum !== undefined) return schema.enum.map((each) => Markdown.code(String(each))).join(", ")
  if (schema.items !== undefined) return `list of ${typeOf(schema.items, api)}`
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => typeOf(each, api)))].join(" or ")
  return schema.format ?? schema.type ?? ""
}

const bodyOf = ({ requestBody }: Operation): string => {
  const [type, content] = Object.entries(requestBody?.content ?? {}).find(([, each]) => sampleOf(each) !== null) ?? []
  const types = Object.keys(requestBody?.content ?? {}).map(Markdown.code)
  if (types.length === 0) return ""
  const sample = content === undefined ? null : sampleOf(content)
  const shown = sample === null || type !== "application/json" ? "" : `\n\n${json(sample)}`
  return `Body: ${types.join(", ")}.${shown}`
}

const exampleOf = ({ responses }: Operation): string => {
  const [status, content] =
    Object.entries(responses)
      .filter(([code]) => code.startsWith("2"))
      .flatMap(([code, response]) => Object.values(response.content ?? {}).map((each) => [code, each] as const))
      .find(([, each]) => sampleOf(each) !== null) ?? []
  const sample = content === undefined ? null : sampleOf(content)
  return sample === null ? "" : `An answer (${status}):\n\n${json(sample)}`
}

const sampleOf = ({ example, examples }: Content): unknown => example ?? Object.values(examples ?? {})[0]?.value ?? null

const json = (value: unknown): string =>
  typeof value === "string" ? `\`\`\`\n${value}\n\`\`\`` : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
