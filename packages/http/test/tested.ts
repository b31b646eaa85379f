/** The search for operations that no test calls. */

/** An operation of the OpenAPI document. */
export interface Route {
  readonly id: string
  readonly method: string
  /** The path, which names its parameters as `{name}`. */
  readonly path: string
}

/**
 * The routes that no source calls.
 *
 * **Details**
 *
 * A source calls a route when it has a text that ends as the path does, and names its method (`GET` needs no name), or when it calls the
 * method of a client that is named as the operation. Text in `${}` stands for any value; at the beginning it stands for any number of parts.
 */
export const untested = (routes: ReadonlyArray<Route>, sources: ReadonlyArray<string>): ReadonlyArray<string> => {
  const read = sources.map((text) => ({ text, paths: pathsOf(text) }))
  return routes
    .filter((route) => !read.some(({ paths, text }) => calls(route, paths, text)))
    .map(({ id, method, path }) => `${id}: ${method} ${path}`)
}

const calls = (route: Route, paths: ReadonlyArray<ReadonlyArray<string>>, text: string): boolean => {
  if (text.includes(`.${route.id}(`)) return true
  const wanted = route.path.split("/").slice(1)
  return names(route.method, text) && paths.some((path) => matches(path, wanted))
}

const names = (method: string, text: string): boolean =>
  method === "GET" || text.includes(`"${method}"`) || new RegExp(`\\b${method.toLowerCase()}\\(`, "u").test(text)

const pathsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.replaceAll(/\$\{[^{}]*\}/gu, any).matchAll(/["'`]([^"'`\s{}]*\/[^"'`\s{}]*)["'`]/gu)].map(([, path = ""]) =>
    path.replace(/\?.*$/u, "").split("/")
  )

const any = "*"

const matches = ([first = "", ...rest]: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean => {
  if (first !== "" && first !== any) return false
  const tail = first === "" ? wanted : wanted.slice(-rest.length)
  return (
    tail.length === rest.length &&
    tail.some((part) => !isParameter(part)) &&
    tail.every((part, index) => (isParameter(part) ? rest[index] !== "" : rest[index]?.split(any)[0] === part))
  )
}

const isParameter = (part: string): boolean => part.startsWith("{")
