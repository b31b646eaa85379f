/** The small command line, `lazaret.mjs`: CI jobs load it from the server whose version it has. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { Problem } from "@lazaret/api"
import { Effect, Layer, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as Assets from "../response/Assets.ts"
import { HttpConfig } from "../request/HttpConfig.ts"

/**
 * The routes, which ask for no credential.
 *
 * **Details**
 *
 * - `/cli/lazaret.mjs`: the file of this server. `ETag` is its SHA-256, `Content-Location` its immutable address.
 * - `/cli/lazaret.mjs.sha256`: its SHA-256, as `sha256sum --check` takes it.
 * - `/cli/<version>-<SHA-256>/lazaret.mjs`: the same file, for ever or 404.
 *
 * Without the built file, each of them is 404 and says how to build it.
 */
export const layer = Layer.unwrap(
  Effect.map(HttpConfig, ({ commandLine }) => {
    const file = Option.flatMap(commandLine, read)
    const answered = (of: (request: HttpServerRequest.HttpServerRequest, file: File) => Answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Option.match(file, { onNone: () => notBuilt, onSome: (each) => of(request, each) })
      )
    const pinned = Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
      answered((request, each) =>
        params["edition"] === each.edition ? Effect.succeed(send(request, each, forever)) : otherEdition(each)
      )
    )
    return Layer.mergeAll(
      HttpRouter.add(
        "GET",
        `/cli/${name}`,
        answered((request, each) => Effect.succeed(send(request, each, "no-cache")))
      ),
      HttpRouter.add(
        "GET",
        `/cli/${name}.sha256`,
        answered((_, { sha256 }) => Effect.succeed(HttpServerResponse.text(`${sha256}  ${name}\n`)))
      ),
      HttpRouter.add("GET", `/cli/:edition/${name}`, pinned)
    )
  })
)

const name = "lazaret.mjs"

const forever = "public, max-age=31536000, immutable"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

interface File {
  readonly bytes: Uint8Array
  /** Compressed for the first request, not for the start. */
  readonly packed: () => Uint8Array
  readonly sha256: string
  /** Version and content: the part of the immutable address. */
  readonly edition: string
}

const read = ({ file, version }: { readonly file: string; readonly version: string }): Option.Option<File> =>
  Option.map(Result.getSuccess(Result.try(() => readFileSync(file))), (bytes) => {
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    let packed: Uint8Array | undefined
    return { bytes, packed: () => (packed ??= gzipSync(bytes)), sha256, edition: `${version}-${sha256}` }
  })

const send = (
  request: HttpServerRequest.HttpServerRequest,
  { bytes, edition, packed, sha256 }: File,
  cacheControl: string
): HttpServerResponse.HttpServerResponse => {
  const etag = `"${sha256}"`
  const headers = {
    etag,
    vary: "accept-encoding",
    "cache-control": cacheControl,
    "content-location": `/cli/${edition}/${name}`,
    "x-content-type-options": "nosniff"
  }
  if (Assets.isKnown(request, etag)) return HttpServerResponse.empty({ status: 304, headers })
  const isPacked = Assets.accepts(request.headers["accept-encoding"] ?? "", "gzip")
  return HttpServerResponse.uint8Array(isPacked ? packed() : bytes, {
    contentType: "text/javascript; charset=utf-8",
    headers: isPacked ? { ...headers, "content-encoding": "gzip" } : headers
  })
}

const missing = (detail: string): Answer =>
  Effect.orDie(HttpServerRespondable.toResponse(new Problem.NotFound({ detail })))

const notBuilt = missing("This server has no lazaret.mjs. In a clone of Lazaret, run npm run build and start it again.")

const otherEdition = ({ edition }: File): Answer =>
  missing(`This server has another edition of lazaret.mjs: /cli/${edition}/${name}.`)
