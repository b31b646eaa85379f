/**
 * The one table of settings: loading, checking, `lazaret serve --help` and `docs/reference/configuration.md` follow it.
 */
import { Retention, type RoleMapping } from "@lazaret/domain"
import * as Setting from "./Setting.ts"
import * as SettingSchema from "./SettingSchema.ts"

/** Every setting of the server. */
export const table = {
  host: Setting.defaulted(
    "HOST",
    SettingSchema.text("address"),
    "127.0.0.1",
    "the address to listen on; `0.0.0.0` or `::` stands for every address of the machine"
  ),
  port: Setting.defaulted(
    "PORT",
    SettingSchema.wholeNumber({ from: 0, to: 65_535 }, 4180),
    4180,
    "the port to listen on; 0 takes a free port"
  ),
  store: Setting.optional(
    "LAZARET_STORE",
    SettingSchema.oneOf(["embedded", "postgres", "memory"]),
    "where data is kept: `embedded`, a PostgreSQL in the data folder that the server starts; `postgres`, the one at `DATABASE_URL`; " +
      "`memory`, without a copy on disk. When not set: `postgres` if `DATABASE_URL` is set, else `embedded`"
  ),
  databaseUrl: Setting.secret(
    "DATABASE_URL",
    SettingSchema.databaseUrl,
    "`postgres://user:password@host:5432/database` of a PostgreSQL 15 or newer"
  ),
  dataFolder: Setting.defaulted(
    "LAZARET_DATA_DIR",
    SettingSchema.text("folder"),
    "./data",
    "the folder of the embedded PostgreSQL, of the first admin key, of the key of secrets at rest, and of a GitHub App that was created from the dashboard; only one " +
      "server at a time can use it"
  ),
  adminKey: Setting.secret(
    "LAZARET_ADMIN_KEY",
    SettingSchema.token,
    "the first admin key. When not set, the server makes one, prints it once, and keeps it in the file `admin-key` of the data folder, readable by this user only"
  ),
  secretKey: Setting.secret(
    "LAZARET_SECRET_KEY",
    SettingSchema.secretKeys,
    "the keys that [secrets are encrypted with](../how-to/run-in-production.md#secrets-at-rest): the first one encrypts, all of them decrypt. " +
      "When not set: the embedded storage makes one in the file `secret-key` of the data folder; in another database secrets are stored as plain text"
  ),
  retentionDays: Setting.defaulted(
    "LAZARET_RETENTION_DAYS",
    SettingSchema.wholeNumber({ from: Retention.fewestDays, to: Retention.mostDays }, Retention.defaultDays),
    Retention.defaultDays,
    "the number of days for which results are kept, rounded up to whole weeks ([retention](../how-to/retention.md))"
  ),
  sessionDays: Setting.defaulted(
    "LAZARET_SESSION_DAYS",
    SettingSchema.wholeNumber({ from: 1, to: 365 }, 30),
    30,
    "the number of days after which a session of the dashboard ends, however much it is used ([sign-in](../how-to/sign-in.md))"
  ),
  sessionIdleHours: Setting.defaulted(
    "LAZARET_SESSION_IDLE_HOURS",
    SettingSchema.wholeNumber({ from: 1, to: 8760 }, 168),
    168,
    "the number of hours without a request after which a session of the dashboard ends"
  ),
  auditDays: Setting.defaulted(
    "LAZARET_AUDIT_DAYS",
    SettingSchema.wholeNumber({ from: 1, to: Retention.mostDays }, 400),
    400,
    "the number of days for which the entries of the [audit log](../how-to/audit.md) are kept"
  ),
  publicUrl: Setting.optional(
    "LAZARET_PUBLIC_URL",
    SettingSchema.url("https://tests.example.com"),
    "the address that links begin with; when not set, the address of each request"
  ),
  gitHubApiUrl: Setting.optional(
    "LAZARET_GITHUB_API_URL",
    SettingSchema.url("https://api.github.com"),
    "the GitHub API, such as `https://api.github.com`: it checks GitHub tokens and finds pull requests. When not set: that address with an app or a token; else GitHub tokens are refused"
  ),
  gitHubAppId: Setting.optional(
    "LAZARET_GITHUB_APP_ID",
    SettingSchema.wholeNumber({ from: 1, to: 999_999_999_999 }, 123_456),
    "the number of the GitHub App that reports on pull requests ([GitHub](../how-to/github.md))"
  ),
  gitHubAppPrivateKey: Setting.secret(
    "LAZARET_GITHUB_APP_PRIVATE_KEY",
    SettingSchema.gitHubPrivateKey,
    "the private key of that app: an RSA key in PEM, as GitHub generates it"
  ),
  gitHubToken: Setting.secret(
    "LAZARET_GITHUB_TOKEN",
    SettingSchema.token,
    "a GitHub token, the simple alternative to an app: commit statuses instead of check runs, and no buttons"
  ),
  gitHubWebhookSecret: Setting.secret(
    "LAZARET_GITHUB_WEBHOOK_SECRET",
    SettingSchema.secret,
    "the secret with which GitHub signs its deliveries ([merge queue](../how-to/merge-queue.md)). When not set, deliveries are refused"
  ),
  gitHubClientId: Setting.optional(
    "LAZARET_GITHUB_CLIENT_ID",
    SettingSchema.text("id"),
    "the client id of that app, which [people sign in with](../how-to/sign-in.md#sign-in-with-github). It needs " +
      "`LAZARET_GITHUB_CLIENT_SECRET` and `LAZARET_PUBLIC_URL`. An app that was created from the dashboard has its own"
  ),
  gitHubClientSecret: Setting.secret(
    "LAZARET_GITHUB_CLIENT_SECRET",
    SettingSchema.secret,
    "a client secret of that app"
  ),
  gitHubSignIn: Setting.defaulted(
    "LAZARET_GITHUB_SIGN_IN",
    SettingSchema.oneOf(["permissions", "roles", "off"]),
    "permissions",
    "whether people sign in with the GitHub App: `permissions`, and their permission in a repository at GitHub is a role there; " +
      "`roles`, and only other roles count; `off`"
  ),
  gitLabUrl: Setting.optional(
    "LAZARET_GITLAB_URL",
    SettingSchema.url("https://gitlab.com"),
    "the GitLab instance, such as `https://gitlab.com`: it checks GitLab tokens and finds merge requests ([GitLab](../how-to/gitlab.md)). When not set: that address with a token; else GitLab is not used"
  ),
  gitLabSignIn: Setting.defaulted(
    "LAZARET_GITLAB_SIGN_IN",
    SettingSchema.oneOf(["permissions", "roles"]),
    "permissions",
    "for people who sign in with this GitLab as their provider (`LAZARET_SIGN_IN_ISSUER`): `permissions`, and their access level in a " +
      "project is a role there ([how](../how-to/sign-in.md#sign-in-with-gitlab)); `roles`, and only other roles count"
  ),
  gitLabToken: Setting.secret(
    "LAZARET_GITLAB_TOKEN",
    SettingSchema.token,
    "the token of GitLab that reports on merge requests and reads artifacts: of a group or a project, with the scope `api` and the role of a developer"
  ),
  gitLabStatus: Setting.defaulted(
    "LAZARET_GITLAB_STATUS",
    SettingSchema.oneOf(["on", "off"]),
    "on",
    "whether a verdict is a status of the pipeline of its commit, in addition to the note on the merge request ([statuses](../how-to/gitlab.md#statuses-and-pipelines))"
  ),
  gitLabWebhookSecret: Setting.secret(
    "LAZARET_GITLAB_WEBHOOK_SECRET",
    SettingSchema.token,
    "the secret token that GitLab sends with its deliveries. When not set, deliveries are refused"
  ),
  gitLabGroups: Setting.optional(
    "LAZARET_GITLAB_GROUPS",
    SettingSchema.groups,
    "the owners that stand for a group of another name, such as one inside of a group: `owner=path/of/group`, separated by commas. Every other owner stands for the group with its name"
  ),
  oidcIssuers: Setting.optional(
    "LAZARET_OIDC_ISSUERS",
    SettingSchema.trusts,
    "whose CI jobs upload without a key, with the token of their CI system ([how](../how-to/forks.md#uploads-without-a-key)): " +
      "`owner@issuer`, separated by commas; `github` and `gitlab` stand for GitHub Actions and gitlab.com, `*` for every owner of an " +
      "issuer of your own. It needs `LAZARET_PUBLIC_URL`. When not set, such tokens are refused"
  ),
  signInIssuer: Setting.optional(
    "LAZARET_SIGN_IN_ISSUER",
    SettingSchema.issuer,
    "the OpenID Connect provider that [people sign in with](../how-to/sign-in.md#sign-in-with-your-provider). It needs `LAZARET_PUBLIC_URL`, " +
      "`LAZARET_SIGN_IN_CLIENT_ID` and `LAZARET_SIGN_IN_CLIENT_SECRET`"
  ),
  signInTitle: Setting.defaulted(
    "LAZARET_SIGN_IN_TITLE",
    SettingSchema.text("name"),
    "your provider",
    "the name of that provider on the button"
  ),
  signInClientId: Setting.optional(
    "LAZARET_SIGN_IN_CLIENT_ID",
    SettingSchema.text("id"),
    "the id under which that provider knows this server"
  ),
  signInClientSecret: Setting.secret(
    "LAZARET_SIGN_IN_CLIENT_SECRET",
    SettingSchema.secret,
    "the secret that the provider gave this server"
  ),
  signInScopes: Setting.defaulted(
    "LAZARET_SIGN_IN_SCOPES",
    SettingSchema.text("scopes"),
    "openid profile email",
    "the scopes that are asked for, separated by spaces; add the one that brings the groups"
  ),
  signInGroups: Setting.defaulted(
    "LAZARET_SIGN_IN_GROUPS_CLAIM",
    SettingSchema.text("claim"),
    "groups",
    "the claim of the ID token with the groups of a person"
  ),
  signInRoles: Setting.optional<ReadonlyArray<RoleMapping.GroupRole>>(
    "LAZARET_SIGN_IN_ROLES",
    SettingSchema.roles,
    "the roles that groups give: `group=role@owner`, `@owner/repository` or `@*`, separated by commas; the group `*` is everybody " +
      "([roles](../how-to/sign-in.md#roles))"
  ),
  signInDomains: Setting.optional(
    "LAZARET_SIGN_IN_DOMAINS",
    SettingSchema.domains,
    "the domains of e-mail addresses that may sign in; the provider must say that it has verified the address. When not set, all"
  ),
  redact: Setting.optional(
    "LAZARET_REDACT",
    SettingSchema.patterns,
    "regular expressions, separated by spaces, for secrets of your own. What they match is removed from reports on pull requests, in " +
      "addition to the known forms of secrets"
  ),
  rateLimit: Setting.defaulted(
    "LAZARET_RATE_LIMIT",
    SettingSchema.wholeNumber({ from: 0, to: 1_000_000 }, 600),
    0,
    "the number of requests per minute that one key may send, and one address without a valid key ([limits](limits.md#requests)); 0 sets no limit"
  ),
  uploadMemory: Setting.defaulted(
    "LAZARET_UPLOAD_MEMORY",
    SettingSchema.wholeNumber({ from: 512, to: 1_000_000 }, 1024),
    640,
    "the MiB of memory that uploads may take together while they are read and recorded. Further uploads wait, and are 503 with " +
      "`Retry-After` after 30 seconds ([limits](limits.md#memory-of-uploads))"
  ),
  webhookTargets: Setting.defaulted(
    "LAZARET_WEBHOOK_TARGETS",
    SettingSchema.oneOf(["any", "public"]),
    "any",
    "which receivers outgoing webhooks may have: `any`; `public`, none on this machine or in private, shared and link-local " +
      "networks, by the address that each connection is made to"
  ),
  smtpUrl: Setting.secret(
    "LAZARET_SMTP_URL",
    SettingSchema.smtpUrl,
    "the mail server that [notifications](../how-to/notifications.md) are sent by: `smtp://user:password@host:587`, or `smtps://…:465`"
  ),
  mailFrom: Setting.optional(
    "LAZARET_MAIL_FROM",
    SettingSchema.mailAddress,
    "the address that e-mails come from, such as `Lazaret <lazaret@example.com>`; e-mails need it"
  ),
  trustedProxies: Setting.optional(
    "LAZARET_TRUSTED_PROXIES",
    SettingSchema.networks,
    "the addresses and networks of your proxies, such as `127.0.0.1,10.0.0.0/8`. Only from them are the headers `X-Forwarded-For`, " +
      "`-Host` and `-Proto` accepted"
  ),
  drainSeconds: Setting.defaulted(
    "LAZARET_DRAIN_SECONDS",
    SettingSchema.wholeNumber({ from: 0, to: 600 }, 10),
    0,
    "after a signal to stop, the seconds in which the server is not ready but still answers, so that a load balancer can remove it"
  ),
  shutdownSeconds: Setting.defaulted(
    "LAZARET_SHUTDOWN_SECONDS",
    SettingSchema.wholeNumber({ from: 0, to: 3600 }, 30),
    30,
    "the seconds in which running requests can finish after that; then their connections are closed"
  ),
  metricsToken: Setting.secret(
    "LAZARET_METRICS_TOKEN",
    SettingSchema.token,
    "the token that reads `/metrics` from another machine ([metrics](metrics.md)). When not set, only callers on this machine can read it"
  ),
  repositories: Setting.defaulted(
    "LAZARET_REPOSITORIES",
    SettingSchema.oneOf(["writes", "uploads"]),
    "writes",
    "what creates a repository that does not exist: `writes`, every accepted write, such as an upload or a quarantine; `uploads`, " +
      "test reports alone, so that another write with a misspelt name is 404"
  ),
  repositoryMetrics: Setting.defaulted(
    "LAZARET_REPOSITORY_METRICS",
    SettingSchema.oneOf(["off", "on"]),
    "off",
    "whether `/metrics` has [the tests of each repository](metrics.md#repositories) by health, its quarantines and its last upload. " +
      "Their labels hold the names of repositories"
  ),
  logFormat: Setting.defaulted(
    "LAZARET_LOG_FORMAT",
    SettingSchema.oneOf(["auto", "json", "text"]),
    "auto",
    "the format of the log on stderr: `json`, one object per line; `text`, for people; `auto`, `text` on a terminal and `json` elsewhere"
  ),
  logLevel: Setting.optional(
    "LAZARET_LOG_LEVEL",
    SettingSchema.oneOf(["error", "warn", "info", "debug", "trace"]),
    "the lowest level that is logged; `info` when not set; `debug` has a line per request"
  ),
  otlpEndpoint: Setting.optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    SettingSchema.url("http://localhost:4318"),
    "the address to which traces and metrics are sent (OTLP over HTTP; `/v1/traces` and `/v1/metrics` are appended). When not set, none are sent"
  ),
  otlpProtocol: Setting.defaulted(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    SettingSchema.oneOf(["http/protobuf", "http/json"]),
    "http/protobuf",
    "the encoding of traces and metrics"
  ),
  otlpHeaders: Setting.secret(
    "OTEL_EXPORTER_OTLP_HEADERS",
    SettingSchema.headers,
    "the headers of requests with traces and metrics, as `name=value,name=value` with percent-encoded values"
  ),
  serviceName: Setting.defaulted(
    "OTEL_SERVICE_NAME",
    SettingSchema.text("name"),
    "lazaret",
    "the name of this service in traces and metrics"
  )
} as const satisfies Record<string, Setting.Setting<unknown>>

/** The values of all settings. */
export type Values = { readonly [K in keyof typeof table]: Setting.Value<(typeof table)[K]> }

/** The variable that names the configuration file. It is not in the table, because the file cannot set it. */
export const fileVariable = "LAZARET_CONFIG_FILE"

/**
 * Variables that begin with `LAZARET_` and are not settings of the server: they are for the other commands, and for tests.
 */
export const others: ReadonlyArray<string> = [
  "LAZARET_URL",
  "LAZARET_TOKEN",
  "LAZARET_REPO",
  "LAZARET_TEST_DATABASE_URL"
]
