/** The methods of a path, from the definition of the API itself. */
import { Operation } from "@lazaret/api"
import { Context, Option } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"

/** A route of a server. */
export interface Route {
  readonly method: string
  readonly path: `/${string}`
}

/** The routes of an API. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    // The path of an endpoint begins with a slash by its type.
    onEndpoint: ({ endpoint }) => routes.push({ method: endpoint.method, path: endpoint.path as `/${string}` })
  })
  return routes
}

/** The routes of an API that ask for a credential, each as method and path in one text. */
export const guardedRoutesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> => routesWhere(api, (endpoint) => Option.isSome(Operation.demandOf(endpoint)))

/** The routes of the deprecated operations of an API, each as method and path in one text. */
export const deprecatedRoutesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> => routesWhere(api, isDeprecated)

/** Whether an operation is deprecated. */
export const isDeprecated = ({ annotations }: Pick<HttpApiEndpoint.Top, "annotations">): boolean =>
  Option.contains(Context.getOption(annotations, OpenApi.Deprecated), true)

const routesWhere = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  holds: (endpoint: HttpApiEndpoint.Top) => boolean
): ReadonlyArray<string> => {
  const routes: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (holds(endpoint)) routes.push(`${endpoint.method} ${endpoint.path}`)
    }
  })
  return routes
}

/** The methods that the path of a URL takes, in alphabetical order; none when no route has this path. */
export const finder = (
  routes: ReadonlyArray<Route>,
  config: Partial<FindMyWay.RouterConfig>
): ((url: string) => ReadonlyArray<string>) => {
  const router = FindMyWay.make<true>(config)
  for (const { method, path } of routes) router.on(method, path, true)
  const methods = [...new Set(routes.map((route) => route.method))]
  return (url) => {
    const known = methods.filter((method) => router.find(method, url) !== undefined)
    if (known.length === 0) return []
    return [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted()
  }
}

/** The declared path of the route of a request, such as `/v1/ci/:owner/…`; null when no route matches. */
export const pathFinder = (
  routes: ReadonlyArray<Route>,
  config: Partial<FindMyWay.RouterConfig>
): ((method: string, url: string) => string | null) => {
  const router = FindMyWay.make<string>(config)
  for (const { method, path } of routes) router.on(method, path, path)
  // A HEAD is answered by the route of its GET.
  return (method, url) => router.find(method === "HEAD" ? "GET" : method, url)?.handler ?? null
}

/**
 * Whether a path may name a route.
 *
 * **Details**
 *
 * - The router of Effect ends a path before `;` and `#`. A proxy that guards `/metrics` would let `/metrics;x` through.
 * - The router takes an empty segment of `/v1/…` for an empty parameter: `…/tests/` would name a test without an id.
 */
export const isWhole = (path: string): boolean => !/[;#]|^\/v1\/(?:.*\/)?(?:\/|$)/u.test(path)

/** How paths are matched: exactly as written, whatever the length of a parameter (its schema says what is too long). */
export const routerConfig: FindMyWay.RouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 1_048_576
}
