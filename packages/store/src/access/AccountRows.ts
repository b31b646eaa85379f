/** The tables of repositories and of those who may use them. */
import {
  ApplicationKey,
  AssignedRole,
  AuditEntry,
  type OriginPin,
  Repository,
  Role,
  type Session
} from "@lazaret/domain"
import { Schema } from "effect"
import * as Settings from "../repository/Settings.ts"
import type { SignInCode } from "./SignInCodeStore.ts"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** A repository with the key that it is found by (`Repository.key`). */
export interface RepositoryRow extends Repository.Repository {
  readonly key: string
}

/** Repositories. They are created by transactions, and changed by `Driver.configure`. */
export const repositories: Table<RepositoryRow> = {
  name: "repositories",
  scope: "store",
  columns: { key: "text", owner: "text", repository: "text", createdAt: "instant", settings: "json" },
  key: ["key"],
  ...rowsOf(Schema.Struct({ key: Str, owner: Str, repository: Str, createdAt: Num, settings: Settings.Stored }))
}

/** Application keys. */
export const keys: Table<ApplicationKey.ApplicationKey> = {
  name: "application_keys",
  scope: "store",
  columns: {
    id: "text",
    name: "text",
    owner: "text",
    scope: "text",
    hash: "text",
    createdAt: "instant",
    revokedAt: "instant"
  },
  key: ["id"],
  unique: "hash",
  ...rowsOf(
    Schema.Struct({
      id: Str,
      name: Str,
      owner: Schema.NullOr(Str),
      scope: ApplicationKey.Scope,
      hash: Str,
      createdAt: Num,
      revokedAt: Schema.NullOr(Num)
    })
  )
}

/** Sessions. */
export const sessions: Table<Session.Session> = {
  name: "sessions",
  scope: "store",
  columns: {
    id: "text",
    hash: "text",
    kind: "text",
    subjectId: "text",
    name: "text",
    owner: "text",
    grants: "json",
    provider: "text",
    createdAt: "instant",
    seenAt: "instant",
    address: "text",
    agent: "text"
  },
  key: ["id"],
  unique: "hash",
  ...rowsOf(
    Schema.Struct({
      id: Str,
      hash: Str,
      kind: Schema.Literals(["key", "user"]),
      subjectId: Str,
      name: Str,
      owner: Schema.NullOr(Str),
      grants: Schema.Array(Role.Grant),
      provider: Schema.NullOr(AssignedRole.Provider),
      createdAt: Num,
      seenAt: Num,
      address: Schema.NullOr(Str),
      agent: Schema.NullOr(Str)
    })
  )
}

/** The one-time codes of sign-in links. */
export const signInCodes: Table<SignInCode> = {
  name: "sign_in_codes",
  scope: "store",
  columns: { hash: "text", keyId: "text", createdAt: "instant" },
  key: ["hash"],
  ...rowsOf(Schema.Struct({ hash: Str, keyId: Str, createdAt: Num }))
}

/** A role with the login and the subject that it is found by. */
export interface AssignedRoleRow extends AssignedRole.AssignedRole {
  readonly loginKey: string
  readonly subject: string
}

/** Roles that are given by hand. */
export const assignedRoles: Table<AssignedRoleRow> = {
  name: "assigned_roles",
  scope: "store",
  columns: {
    id: "text",
    provider: "text",
    login: "text",
    loginKey: "text",
    personId: "text",
    role: "text",
    owner: "text",
    repository: "text",
    subject: "text",
    createdAt: "instant"
  },
  key: ["id"],
  unique: "subject",
  ...rowsOf(
    Schema.Struct({
      id: Str,
      provider: AssignedRole.Provider,
      login: Str,
      loginKey: Str,
      personId: Schema.NullOr(Str),
      role: Role.Role,
      owner: Schema.NullOr(Str),
      repository: Schema.NullOr(Str),
      subject: Str,
      createdAt: Num
    })
  )
}

/** A pin with the subject that it is found by. */
export interface OriginPinRow extends OriginPin.OriginPin {
  readonly subject: string
}

/** The pins of names of owners and repositories at the issuers of tokens. */
export const originPins: Table<OriginPinRow> = {
  name: "origin_pins",
  scope: "store",
  columns: {
    id: "text",
    issuer: "text",
    owner: "text",
    repository: "text",
    platformId: "text",
    subject: "text",
    createdAt: "instant"
  },
  key: ["id"],
  unique: "subject",
  ...rowsOf(
    Schema.Struct({
      id: Str,
      issuer: Str,
      owner: Str,
      repository: Schema.NullOr(Str),
      platformId: Str,
      subject: Str,
      createdAt: Num
    })
  )
}

const Fields = Schema.Record(Str, Schema.Json)

/** An entry of the audit log, with the keys that its owner and repository are found by. */
export interface AuditRow extends Omit<AuditEntry.AuditEntry, "actor"> {
  readonly actorKind: AuditEntry.Actor["kind"]
  readonly actorId: string
  readonly actorName: string
  readonly ownerKey: string | null
  readonly repositoryKey: string | null
}

/** The audit log. */
export const auditEntries: Table<AuditRow> = {
  name: "audit_entries",
  scope: "store",
  columns: {
    id: "text",
    at: "instant",
    actorKind: "text",
    actorId: "text",
    actorName: "text",
    address: "text",
    action: "text",
    owner: "text",
    ownerKey: "text",
    repository: "text",
    repositoryKey: "text",
    target: "json",
    outcome: "text",
    before: "json",
    after: "json"
  },
  key: ["id"],
  ...rowsOf(
    Schema.Struct({
      id: Str,
      at: Num,
      actorKind: AuditEntry.ActorKind,
      actorId: Str,
      actorName: Str,
      address: Schema.NullOr(Str),
      action: Str,
      owner: Schema.NullOr(Str),
      ownerKey: Schema.NullOr(Str),
      repository: Schema.NullOr(Str),
      repositoryKey: Schema.NullOr(Str),
      target: Fields,
      outcome: AuditEntry.Outcome,
      before: Schema.NullOr(Fields),
      after: Schema.NullOr(Fields)
    })
  )
}
