/**
 * The one table of settings: loading, checking, `lazaret serve --help` and `docs/reference/configuration.md` follow it.
 */
import { Retention } from "@lazaret/domain"
import * as Kind from "./Kind.ts"
import * as Setting from "./Setting.ts"

/** Every setting of the server. */
export const table = {
  host: Setting.defaulted(
    "HOST",
    Kind.text("address"),
    "127.0.0.1",
    "address to listen on; `0.0.0.0` or `::` is every one"
  ),
  port: Setting.defaulted(
    "PORT",
    Kind.wholeNumber({ from: 0, to: 65_535 }, 4180),
    4180,
    "port to listen on; 0 takes a free one"
  ),
  store: Setting.optional(
    "LAZARET_STORE",
    Kind.oneOf(["embedded", "postgres", "memory"]),
    "where data is kept: `embedded`, a PostgreSQL of its own in the data folder; `postgres`, the one at `DATABASE_URL`; " +
      "`memory`, which forgets it at the end. When not set: `postgres` where `DATABASE_URL` is set, else `embedded`"
  ),
  databaseUrl: Setting.optional(
    "DATABASE_URL",
    Kind.databaseUrl,
    "`postgres://user:password@host:5432/database` of a PostgreSQL 15 or newer"
  ),
  dataFolder: Setting.defaulted(
    "LAZARET_DATA_DIR",
    Kind.text("folder"),
    "./data",
    "folder for what is kept; one server at a time has it"
  ),
  adminKey: Setting.optional(
    "LAZARET_ADMIN_KEY",
    Kind.token,
    "the first admin key; else one is made, shown once, and kept in `admin-key` in the data folder, readable by this user only"
  ),
  retentionDays: Setting.defaulted(
    "LAZARET_RETENTION_DAYS",
    Kind.wholeNumber({ from: Retention.fewestDays, to: Retention.mostDays }, Retention.defaultDays),
    Retention.defaultDays,
    "for how many days results are kept, rounded up to whole weeks ([retention](../how-to/retention.md))"
  ),
  publicUrl: Setting.optional(
    "LAZARET_PUBLIC_URL",
    Kind.url("https://tests.example.com"),
    "the address that links begin with; else each request's own"
  ),
  gitHubApiUrl: Setting.optional(
    "LAZARET_GITHUB_API_URL",
    Kind.url("https://api.github.com"),
    "`https://api.github.com` accepts GitHub tokens and finds pull requests; off when not set"
  ),
  gitHubWebhookSecret: Setting.optional(
    "LAZARET_GITHUB_WEBHOOK_SECRET",
    Kind.secret,
    "what GitHub signs its deliveries with ([merge queue](../how-to/merge-queue.md)); without it they are not taken"
  ),
  rateLimit: Setting.defaulted(
    "LAZARET_RATE_LIMIT",
    Kind.wholeNumber({ from: 0, to: 1_000_000 }, 600),
    0,
    "how many requests per minute a key may send, and an address without a fit key ([limits](limits.md#requests)); 0 takes all"
  ),
  trustedProxies: Setting.optional(
    "LAZARET_TRUSTED_PROXIES",
    Kind.networks,
    "addresses and networks of your proxies, such as `127.0.0.1,10.0.0.0/8`: theirs are the `X-Forwarded-For`, `-Host` and `-Proto` " +
      "headers that count"
  ),
  drainSeconds: Setting.defaulted(
    "LAZARET_DRAIN_SECONDS",
    Kind.wholeNumber({ from: 0, to: 600 }, 10),
    0,
    "how long a server that was told to stop is not ready but still answers, so that a load balancer can take it out"
  ),
  shutdownSeconds: Setting.defaulted(
    "LAZARET_SHUTDOWN_SECONDS",
    Kind.wholeNumber({ from: 0, to: 3600 }, 30),
    30,
    "how long requests that are running may then take to finish before they are cut off"
  ),
  metricsToken: Setting.optional(
    "LAZARET_METRICS_TOKEN",
    Kind.token,
    "what reads `/metrics` from another machine ([metrics](metrics.md)); without it only callers on this machine do"
  ),
  logFormat: Setting.defaulted(
    "LAZARET_LOG_FORMAT",
    Kind.oneOf(["auto", "json", "text"]),
    "auto",
    "how the log on stderr is written: `json`, one object per line; `text`, for people; `auto`, `text` on a terminal and else `json`"
  ),
  logLevel: Setting.optional(
    "LAZARET_LOG_LEVEL",
    Kind.oneOf(["error", "warn", "info", "debug", "trace"]),
    "the least important lines that are logged; `info` when not set; `debug` has a line per request"
  ),
  otlpEndpoint: Setting.optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    Kind.url("http://localhost:4318"),
    "where traces and metrics are sent (OTLP over HTTP; `/v1/traces` and `/v1/metrics` are appended); nowhere when not set"
  ),
  otlpProtocol: Setting.defaulted(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    Kind.oneOf(["http/protobuf", "http/json"]),
    "http/protobuf",
    "how they are written"
  ),
  otlpHeaders: Setting.optional(
    "OTEL_EXPORTER_OTLP_HEADERS",
    Kind.headers,
    "headers of those requests, as `name=value,name=value` with percent-encoded values"
  ),
  serviceName: Setting.defaulted(
    "OTEL_SERVICE_NAME",
    Kind.text("name"),
    "lazaret",
    "the name of this service in traces and metrics"
  )
} as const satisfies Record<string, Setting.Setting<unknown>>

/** The values of all settings. */
export type Values = { readonly [K in keyof typeof table]: Setting.Value<(typeof table)[K]> }

/** The variable that names the configuration file. It stands outside of the table, since the file cannot set it. */
export const fileVariable = "LAZARET_CONFIG_FILE"

/**
 * Variables that begin as ours do and are no settings of the server: for the commands that talk to one, and for tests.
 */
export const others: ReadonlyArray<string> = [
  "LAZARET_URL",
  "LAZARET_TOKEN",
  "LAZARET_REPO",
  "LAZARET_TEST_DATABASE_URL"
]
