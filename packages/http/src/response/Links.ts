/** The `Link` header of lists: where the other pages are (RFC 8288; interface 4 calls it RFC 5988). */
import type { Listing } from "@lazaret/services"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { HttpConfig } from "../request/HttpConfig.ts"

/** A listing as a page with the `Link` header. */
export const paged =
  <A, B>(request: HttpServerRequest.HttpServerRequest, page: (listing: Listing.Listing<A>) => B) =>
  <E, R>(listing: Effect.Effect<Listing.Listing<A>, E, R>) =>
    Effect.zipWith(listing, HttpConfig, (found, { publicUrl }) =>
      HttpApiSchema.withHeaders({ body: page(found), headers: header(found.links, request, publicUrl) })
    )

/**
 * The relations of a listing as a `Link` header, none when everything is on one page.
 *
 * **Details**
 *
 * Each link is an absolute URL: the public URL of the server when it is configured, else scheme and host of the request
 * (or those that a proxy forwards, when the server is configured to trust it). All query parameters but `cursor` are
 * those of the request, byte for byte. A relation is there only when such a page exists.
 */
const header = (
  links: Listing.Links,
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: Option.Option<string>
): { readonly link?: string } => {
  const target = (cursor: string | null): string => `${base(request, publicUrl)}${withCursor(request.url, cursor)}`
  const relations = [
    ...(links.first ? [`<${target(null)}>; rel="first"`] : []),
    ...relation("prev", links.previous, target),
    ...relation("next", links.next, target),
    ...relation("last", links.last, target)
  ]
  return relations.length === 0 ? {} : { link: relations.join(", ") }
}

const relation = (name: string, cursor: string | null, target: (cursor: string) => string): ReadonlyArray<string> =>
  cursor === null ? [] : [`<${target(cursor)}>; rel="${name}"`]

/**
 * The address of the server without a trailing slash: the public one when it is configured, else that of the request.
 */
export const base = (request: HttpServerRequest.HttpServerRequest, publicUrl: Option.Option<string>): string =>
  Option.match(publicUrl, {
    onSome: (url) => url.replace(/\/+$/u, ""),
    onNone: () => Option.match(HttpServerRequest.toURL(request), { onNone: () => "", onSome: (url) => url.origin })
  })

const withCursor = (url: string, cursor: string | null): string => {
  const [path = "", query = ""] = splitAt(url, "?")
  const kept = query.split("&").filter((pair) => pair !== "" && nameOf(pair) !== "cursor")
  const pairs = cursor === null ? kept : [...kept, `cursor=${encodeURIComponent(cursor)}`]
  return pairs.length === 0 ? escaped(path) : `${escaped(path)}?${escaped(pairs.join("&"))}`
}

const nameOf = (pair: string): string => new URLSearchParams(pair).keys().next().value ?? ""

const splitAt = (text: string, separator: string): readonly [string, string] => {
  const index = text.indexOf(separator)
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)]
}

/** Characters that would end the URL inside of the header; clients have to escape them, but not all do. */
const escaped = (text: string): string =>
  text.replace(/[<>"\s\u0080-\uffff]/gu, (character) => encodeURIComponent(character.toWellFormed()))
