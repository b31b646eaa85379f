/** The documents that judge traffic. GitHub's come from an exact package, which is too large for a dependency. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isObject, type Json, type JsonObject } from "../descriptions/Json.ts"
import type { Extracted } from "../descriptions/Extract.ts"
import * as Workspace from "../Workspace.ts"

/** The package with GitHub's OpenAPI documents. */
export const source = "@octokit/openapi@23.0.2"

/** github.com, and the oldest version of GitHub Enterprise Server that the package has. */
export const names = ["api.github.com", "ghes-3.17"] as const

const folder = join(Workspace.root, ".cache/published", source.replaceAll(/[@/]/gu, "-"))

/** A document of the package, fetched once. */
export const gitHub = (name: (typeof names)[number]): JsonObject => {
  const file = `package/generated/${name}.json`
  if (!existsSync(join(folder, file))) fetch()
  const document = JSON.parse(readFileSync(join(folder, file), "utf8")) as Json
  if (!isObject(document)) throw new Error(`${source} ${file} is not an object`)
  return document
}

const fetch = (): void => {
  mkdirSync(folder, { recursive: true })
  const packed = execFileSync("npm", ["pack", "--silent", source], { cwd: folder, encoding: "utf8" })
  const tarball = packed.trim().split("\n").at(-1) ?? ""
  execFileSync("tar", ["-xzf", tarball, ...names.map((name) => `package/generated/${name}.json`)], { cwd: folder })
  rmSync(join(folder, tarball))
}

/** An extract as an OpenAPI document: GitLab's, which no package has, is a table of ours. */
export const fromTable = ({ definitions, operations }: Extracted): JsonObject => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [operationId, each] of Object.entries(operations)) {
    if (!isObject(each)) continue
    const { body, isBodyRequired = false, method, parameters = [], path, responses } = each
    if (typeof path !== "string" || typeof method !== "string") continue
    const requestBody = body === undefined ? {} : { requestBody: { required: isBodyRequired, ...json(body) } }
    const answers = Object.entries(isObject(responses) ? responses : {}).map(([status, schema]) => [
      status,
      json(schema)
    ])
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      operationId,
      parameters,
      ...requestBody,
      responses: Object.fromEntries(answers) as JsonObject
    }
  }
  const text = JSON.stringify({ paths, components: { schemas: definitions } })
  return JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as JsonObject
}

const json = (schema: Json): JsonObject => (schema === null ? {} : { content: { "application/json": { schema } } })
