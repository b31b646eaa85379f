/** The files of the dashboard: read once, served from memory, and unable to load anything from other hosts. */
import { hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join, relative, sep } from "node:path"
import { Api } from "@lazaret/api"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpConfig } from "../request/HttpConfig.ts"
import * as Methods from "../request/Methods.ts"

/**
 * The routes of the dashboard: its files, and its page for every other path that a browser opens.
 *
 * **Details**
 *
 * - Files below `assets/` have their content in their name: browsers keep them for a year. All others are asked for again.
 * - A `GET` that accepts `text/html` answers the page, except below `reserved` paths and at those that take other methods:
 *   they are the interface's, and what it does not know stays a problem document.
 * - A file with a `.br` or `.gz` next to it is sent in that encoding. The build makes them, so that no request compresses.
 * - Without the files, the page says how to build them.
 */
export const layer = Layer.unwrap(
  Effect.map(HttpConfig, ({ dashboard, publicUrl }) => {
    const base = Option.match(publicUrl, { onNone: () => "/", onSome: (url) => new URL(`${url}/`).pathname })
    const files = Option.match(dashboard, { onNone: () => new Map(), onSome: (folder) => read(folder, base) })
    const methodsOf = Methods.finder(Methods.routesOf(Api), Methods.routerConfig)
    const isPage = ({ headers, url }: HttpServerRequest.HttpServerRequest) =>
      (headers["accept"] ?? "").includes("text/html") &&
      !reserved.includes(firstOf(pathOf(url))) &&
      methodsOf(url).length === 0
    return HttpRouter.add("GET", "/*", (request) => answer(request, files, isPage))
  })
)

/** The first parts of paths that no page of the dashboard has: an owner may have any other name. */
const reserved: ReadonlyArray<string> = ["v1", "assets", "badges", "cli"]

/** Whether the caller has this version already (`If-None-Match`). */
export const isKnown = ({ headers }: HttpServerRequest.HttpServerRequest, etag: string): boolean =>
  (headers["if-none-match"] ?? "")
    .split(",")
    .map((each) => each.trim().replace(/^W\//u, ""))
    .some((each) => each === etag || each === "*")

type Encoding = "br" | "gzip" | "identity"

interface Asset {
  readonly type: string
  readonly etag: string
  readonly isImmutable: boolean
  readonly bytes: Readonly<Partial<Record<Encoding, Uint8Array>>> & { readonly identity: Uint8Array }
}

type Files = ReadonlyMap<string, Asset>

const index = "index.html"

const answer = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  files: Files,
  isPage: (request: HttpServerRequest.HttpServerRequest) => boolean
) {
  const path = pathOf(request.url)
  const asset = path === "" ? (files.get(index) ?? missing) : files.get(path)
  if (asset !== undefined) return send(request, asset)
  if (!isPage(request)) {
    return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
  }
  return send(request, files.get(index) ?? missing)
})

const pathOf = (url: string): string => (url.split(/[?#]/u, 1)[0] ?? "").slice(1)

const firstOf = (path: string): string => path.split("/", 1)[0] ?? ""

const send = (request: HttpServerRequest.HttpServerRequest, asset: Asset): HttpServerResponse.HttpServerResponse => {
  const headers = {
    ...protections,
    etag: asset.etag,
    vary: "accept-encoding",
    "cache-control": asset.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
  }
  if (isKnown(request, asset.etag)) return HttpServerResponse.empty({ status: 304, headers })
  const accepted = encodingOf(request.headers["accept-encoding"] ?? "")
  const encoding = asset.bytes[accepted] === undefined ? "identity" : accepted
  return HttpServerResponse.uint8Array(asset.bytes[encoding] ?? asset.bytes.identity, {
    contentType: asset.type,
    headers: encoding === "identity" ? headers : { ...headers, "content-encoding": encoding }
  })
}

/** No script or style but the files of this server, no request to anywhere else, and no page around it. */
const protections = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()"
}

const encodingOf = (header: string): Encoding =>
  accepts(header, "br") ? "br" : accepts(header, "gzip") ? "gzip" : "identity"

/** Whether an `Accept-Encoding` header names an encoding, and not with `q=0`. */
export const accepts = (header: string, encoding: string): boolean =>
  header
    .split(",")
    .flatMap((each) => (/;\s*q=0(?:\.0*)?\s*$/u.test(each) ? [] : each.split(";", 1)))
    .some((each) => each.trim() === encoding)

const read = (folder: string, base: string): Files =>
  new Map(
    filesIn(folder)
      .filter((file) => !packed.has(extname(file)))
      .map((file) => {
        const path = relative(folder, file).replaceAll(sep, "/")
        const content = readFileSync(file)
        // The page is about 1 kB, and its text depends on the address of the server.
        if (path === index) return [path, assetOf(path, { identity: based(content, base) })]
        return [
          path,
          assetOf(path, { identity: content, ...packedOf(file, "br", ".br"), ...packedOf(file, "gzip", ".gz") })
        ]
      })
  )

/** The extensions of compressed files. */
const packed: ReadonlySet<string> = new Set([".br", ".gz"])

const packedOf = (file: string, encoding: Encoding, extension: string) =>
  existsSync(`${file}${extension}`) ? { [encoding]: readFileSync(`${file}${extension}`) } : {}

const filesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/** Behind a proxy that adds a path, the page must know it: all its links are relative to this. */
const based = (page: Uint8Array, base: string): Uint8Array =>
  Buffer.from(
    Buffer.from(page)
      .toString("utf8")
      .replace('<base href="/"', () => `<base href="${escaped(base)}"`)
  )

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")

const assetOf = (path: string, bytes: Asset["bytes"]): Asset => ({
  type: types[extname(path)] ?? "application/octet-stream",
  etag: `"${hash("sha256", bytes.identity, "base64url").slice(0, 22)}"`,
  isImmutable: path.startsWith("assets/"),
  bytes
})

const types: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8"
}

const missing = assetOf(index, {
  identity: Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lazaret</title>
<h1>The dashboard is not built</h1>
<p>The server works, but the files of its dashboard are not there. In a clone of Lazaret, build them and start again:</p>
<pre>npm run build</pre>
<p><code>npm start</code> does this automatically. The interface is described at <a href="docs">/docs</a>.</p>
</html>
`)
})
