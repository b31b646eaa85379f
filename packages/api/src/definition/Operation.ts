/**
 * The operations of the API: endpoints that declare who may call them, and the groups that enforce it.
 *
 * An endpoint becomes an operation by `demands` or `isPublic`. The group constructors accept operations only, so that an
 * endpoint without a declared access is a type error; `guarded` adds the authentication middleware itself.
 */
import type { Credential } from "@lazaret/domain"
import { Context, Option } from "effect"
import { type HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Access } from "./Access.ts"
import { Authentication } from "./Authentication.ts"
import * as OpenApiOperation from "./openapi/Operation.ts"
import { RequestErrors } from "./RequestErrors.ts"
import { OfCaller, Revalidated, Revalidation } from "./Revalidation.ts"

declare const access: unique symbol

/** The type mark of an endpoint that demands a credential. */
export interface Demanding {
  readonly [access]: "demanding"
}

/** The type mark of an endpoint that asks for no credential. */
export interface Public {
  readonly [access]: "public"
}

const annotated = <E extends HttpApiEndpoint.Constraint, I>(endpoint: E, annotations: Context.Context<I>): E =>
  // Every endpoint has the members of `Top`, and annotations do not change its type.
  (endpoint as unknown as HttpApiEndpoint.Top).annotateMerge(annotations) as unknown as E

/** Declares the credential that an operation demands. */
export const demands =
  (demand: Credential.Demand) =>
  <E extends HttpApiEndpoint.Constraint>(endpoint: E): E & Demanding =>
    // The mark exists in types only.
    annotated(endpoint, Context.make(Access, demand)) as E & Demanding

/** Declares that an operation asks for no credential. */
export const isPublic = <E extends HttpApiEndpoint.Constraint>(endpoint: E): E & Public =>
  // The mark exists in types only.
  annotated(endpoint, Context.make(Access, "public")) as E & Public

/** The endpoint annotation of an operation that the audit log records, or not, against the rule of `isAudited`. */
class Audited extends Context.Service<Audited, boolean>()("@lazaret/api/Audited") {}

/** Declares that the audit log records an operation, or that it does not. */
export const audited =
  (isRecorded: boolean) =>
  <E extends HttpApiEndpoint.Constraint>(endpoint: E): E =>
    annotated(endpoint, Context.make(Audited, isRecorded))

/**
 * Whether the audit log records an operation.
 *
 * **Details**
 *
 * As declared by `audited`; else every operation that demands a write permission and is no `GET`.
 */
export const isAudited = (endpoint: HttpApiEndpoint.Top): boolean =>
  Option.getOrElse(
    Context.getOption(endpoint.annotations, Audited),
    () => endpoint.method !== "GET" && Option.exists(demandOf(endpoint), ({ permission }) => permission === "write")
  )
/** Declares that answers have an entity tag: they depend on the request, on what is stored of the repository, and on time. */
export const revalidated = <E extends HttpApiEndpoint.Constraint>(endpoint: E): E =>
  annotated(endpoint, Context.make(Revalidated, true))

/** Whether the answers of an operation have an entity tag. */
export const isRevalidated = (endpoint: HttpApiEndpoint.Top): boolean => Context.get(endpoint.annotations, Revalidated)

/** Declares that answers depend on the caller alone. */
export const ofCaller = <E extends HttpApiEndpoint.Constraint>(endpoint: E): E =>
  annotated(endpoint, Context.make(OfCaller, true))

/** Parse options that refuse unknown fields: a misspelt name must not change nothing and report success. */
export const strict = { errors: "all", onExcessProperty: "error" } as const

/** The texts of the OpenAPI document about an operation, in addition to its schemas; without an example it has that of its name. */
export interface Documentation {
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly example?: OpenApiOperation.Example
}

/** Documents an operation. */
export const documented =
  ({ example, ...about }: Documentation) =>
  <E extends HttpApiEndpoint.Constraint>(endpoint: E): E =>
    annotated(endpoint, Context.add(OpenApi.annotations(about), OpenApiOperation.Example, example ?? null))

/** A group of operations that each demand a credential; the group authenticates every request. */
export const guarded = <
  const Id extends string,
  const E extends readonly [Operation<Demanding>, ...ReadonlyArray<Operation<Demanding>>]
>(
  id: Id,
  about: GroupDocumentation,
  ...operations: E
) => group(id, about, operations).middleware(RequestErrors).middleware(Revalidation).middleware(Authentication)

/** A group of operations that ask for no credential. */
export const open = <
  const Id extends string,
  const E extends readonly [Operation<Public>, ...ReadonlyArray<Operation<Public>>]
>(
  id: Id,
  about: GroupDocumentation,
  ...operations: E
) => group(id, about, operations)

/** The texts of the OpenAPI document about a group. */
export interface GroupDocumentation {
  readonly title?: string
  readonly description: string
}

type Operation<Mark> = HttpApiEndpoint.Constraint & Mark

const group = <
  const Id extends string,
  const E extends readonly [HttpApiEndpoint.Constraint, ...ReadonlyArray<HttpApiEndpoint.Constraint>]
>(
  id: Id,
  about: GroupDocumentation,
  operations: E
) =>
  HttpApiGroup.make(id, { topLevel: true })
    // A mapped tuple has the length and the members of its source.
    .add(...(operations.map(inDocument) as unknown as E))
    .annotateMerge(OpenApi.annotations(about))

/** Completes the entry of an operation in the OpenAPI document, once all its annotations are there. */
const inDocument = <E extends HttpApiEndpoint.Constraint>(endpoint: E): E =>
  // Every endpoint has the members of `Top`.
  annotated(
    endpoint,
    Context.make(OpenApi.Transform, OpenApiOperation.complete(endpoint as unknown as HttpApiEndpoint.Top))
  )

/** The demand of an operation on a credential; none for a public one. */
export const demandOf = (endpoint: HttpApiEndpoint.Top): Option.Option<Credential.Demand> =>
  Option.filter(Context.getOption(endpoint.annotations, Access), (each) => each !== "public")
