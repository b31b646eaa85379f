/** The credentials that an operation accepts (interface 4, 5), as an annotation of its endpoint. */
import type { Credential } from "@lazaret/domain"
import { Context } from "effect"

/** The endpoint annotation with the demand on a credential, or `"public"` for an operation that asks for none. */
export class Access extends Context.Service<Access, Credential.Demand | "public">()("@lazaret/api/Access") {}

type Permission = Credential.Demand["permission"]

/** The least role of a person for an operation on a repository that every credential can meet: a member quarantines. */
const roleOf = { read: "viewer", write: "member" } as const

/** The least role of a person for an operation that a CI key cannot meet. */
const administrativeRoleOf = { read: "viewer", write: "admin" } as const

/** A demand that every kind of credential can meet (interface 4.1.1 to 4.1.11). */
export const anyCredential = (permission: Permission): Credential.Demand => ({
  kinds: ["admin", "ci", "platform"],
  permission,
  role: roleOf[permission]
})

/** A demand that a CI key cannot meet (interface 4.1.12, 4.2). */
export const administrative = (permission: Permission): Credential.Demand => ({
  kinds: ["admin", "platform"],
  permission,
  role: administrativeRoleOf[permission]
})

/**
 * A demand for an application key.
 *
 * Uploads demand one (our choice), so that a CI machine does not need a token of the hosting platform.
 */
export const applicationKey = (permission: Permission): Credential.Demand => ({ kinds: ["admin", "ci"], permission })

/** A demand for a credential that may send reports: an application key, a narrow one of scope `upload` included. */
export const uploads: Credential.Demand = { ...applicationKey("write"), narrow: ["upload"] }

/** A demand for a credential that may read tests and quarantines, a narrow key of scope `read` included. */
export const readsTests: Credential.Demand = { ...anyCredential("read"), narrow: ["read"] }

/** A demand for an application key of any scope. */
export const anyApplicationKey: Credential.Demand = {
  ...applicationKey("read"),
  narrow: ["upload", "read"],
  role: "viewer"
}

/** A demand of an operation on what is within reach of the caller: an application key, or any person who signed in. */
export const withinReach = (permission: Permission): Credential.Demand => ({
  ...applicationKey(permission),
  role: "viewer"
})

/** A demand for an admin key. */
export const adminKey = (permission: Permission): Credential.Demand => ({
  kinds: ["admin"],
  permission,
  role: "admin"
})

/** A demand for an admin key that is not bound to one owner. */
export const serverAdminKey: Credential.Demand = {
  kinds: ["admin"],
  permission: "write",
  role: "admin",
  reach: "all owners"
}

/** A credential kind as the OpenAPI document shows it. */
export interface Scheme {
  readonly key: string
  readonly name: string
  readonly description: string
}

/** The credential kinds in the OpenAPI document, under their names in interface 5.2. */
export const schemes: { readonly [K in Credential.CredentialKind]: Scheme } = {
  admin: {
    key: "AdminApplicationKey",
    name: "Admin Application Key",
    description: "a key of this server for every operation in the repositories of its owner."
  },
  ci: {
    key: "CiApplicationKey",
    name: "CI Application Key",
    description:
      "a key of this server for CI jobs: tests, quarantines and uploads. One of scope `upload` only sends reports, one of " +
      "scope `read` only reads tests and quarantines (4.1.1 to 4.1.8, 4.1.10)."
  },
  platform: {
    key: "HostingPlatformToken",
    name: "Hosting Platform Token",
    description:
      "a token of the hosting platform of the repository; it has the permissions here that it has on the platform."
  }
}
