/** One example of each body of the administration routes, in the words of the wire. */
import { Repository as Domain } from "@lazaret/domain"
import { Schema } from "effect"
import type * as Audit from "./Audit.ts"
import type * as ApplicationKey from "./ApplicationKey.ts"
import * as Repository from "../repository/Repository.ts"
import type * as Retention from "../repository/Retention.ts"
import type * as AssignedRole from "./AssignedRole.ts"
import type * as Session from "./Session.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const json = "application/json"

const repositories: Encoded<typeof Repository.RepositoriesPage> = {
  size: 1,
  per_page: 10,
  repositories: [
    { owner: "acme", repository: "widgets", default_branch: null, created_at: "2026-01-31T12:00:00.000Z" }
  ],
  total: 1
}

const settings = Schema.encodeSync(Repository.Settings)(
  Repository.settingsOf({ ...Domain.defaultSettings, autoQuarantine: "flaky", health: { cleanPasses: 20 } })
)

const change: Encoded<typeof Repository.ChangeSettings> = { auto_quarantine: "flaky", health: { clean_passes: 20 } }

const removal: Encoded<typeof Repository.RemoveRepository> = { confirm: "acme/widgets" }

const key: Encoded<typeof ApplicationKey.ApplicationKey> = {
  id: "d1c1b54c-3a55-4c1c-8d6c-6f6f0a1f3a6e",
  name: "acme CI",
  scope: "ci",
  owner: "acme",
  created_at: "2026-01-31T12:00:00.000Z",
  revoked_at: null
}

const keys: Encoded<typeof ApplicationKey.ApplicationKeysPage> = {
  size: 1,
  per_page: 10,
  application_keys: [key],
  total: 1
}

const newKey: Encoded<typeof ApplicationKey.CreateApplicationKey> = { name: "acme CI", scope: "ci", owner: "acme" }

const issued: Encoded<typeof ApplicationKey.IssuedApplicationKey> = { ...key, secret: "lzr_ci_…" }

const retained: Encoded<typeof Retention.Retained> = {
  days: 90,
  horizon: "2025-11-03T00:00:00.000Z",
  repositories: 3,
  failed: 0,
  reports: 412,
  identities: 7,
  events: 31,
  weeks_prepared: 1,
  weeks_released: 1,
  weeks_rewritten: 1
}

const audit: Encoded<typeof Audit.AuditPage> = {
  size: 1,
  per_page: 10,
  entries: [
    {
      id: "5b0c7a52-7a0e-4f37-9d0c-2c8a2f0f7c11",
      at: "2026-01-31T12:00:00.000Z",
      actor: { kind: "key", id: "0f6e7c1a-1c1b-4a51-8a53-0a1c6f0c2d9e", name: "operations" },
      address: "192.0.2.7",
      action: "revokeApplicationKey",
      owner: "acme",
      repository: null,
      target: { key_id: key.id },
      outcome: "done",
      before: { id: key.id, name: "acme CI", owner: "acme", scope: "ci" },
      after: null
    }
  ],
  total: 1
}

const role: Encoded<typeof AssignedRole.AssignedRole> = {
  id: "7d0e5c8e-7c0f-4f6e-9d0a-3b1f6a1b2c3d",
  provider: "github",
  login: "ada",
  person_id: null,
  role: "member",
  owner: "acme",
  repository: "widgets",
  created_at: "2026-03-01T09:00:00Z"
}

const sessions: Encoded<typeof Session.SessionsList> = {
  size: 1,
  sessions: [
    {
      id: "2b4f5c26-5f35-4c5f-9c70-6c1d8a8f0f42",
      kind: "key",
      name: "acme CI",
      owner: "acme",
      created_at: "2026-01-31T08:00:00.000Z",
      seen_at: "2026-01-31T11:59:00.000Z",
      ends_at: "2026-02-07T11:59:00.000Z",
      address: "192.0.2.7",
      agent: "Mozilla/5.0",
      is_current: true
    }
  ]
}

/** The examples of the administration operations. */
export const administrationExamples = {
  listRepositories: { response: repositories },
  getSettings: { response: settings },
  changeSettings: { request: { [json]: change }, response: settings },
  removeTest: { request: { [json]: { confirm: "cart > pays with a card" } } },
  removeRepository: { request: { [json]: removal } },
  listApplicationKeys: { response: keys },
  getSignInWays: { response: { providers: [{ kind: "oidc", title: "Example ID", url: "/sign-in/with-provider" }] } },
  listRoles: { response: { size: 1, roles: [role] } },
  setRole: {
    request: { [json]: { login: "ada", provider: "github", role: "member", owner: "acme", repository: "widgets" } },
    response: role
  },
  listPins: {
    response: {
      size: 1,
      pins: [
        {
          id: "0d6a2c52-4c1e-4f4a-9f7e-1f1f6f0f2b11",
          issuer: "https://token.actions.githubusercontent.com",
          owner: "acme",
          repository: "widgets",
          platform_id: "1296269",
          created_at: "2026-01-31T08:00:00.000Z"
        }
      ]
    }
  },
  listSessions: { response: sessions },
  listAudit: { response: audit },
  runRetention: { response: retained },
  createApplicationKey: { request: { [json]: newKey }, response: issued }
}
