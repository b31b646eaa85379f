/** The settings of the HTTP interface. */
import type { Repository } from "@lazaret/domain"
import { ByteSize, Context, Effect, Option, type Redacted } from "effect"

/**
 * The settings of the HTTP interface; a reference, so that the defaults hold where nothing is provided.
 *
 * **Details**
 *
 * - `publicUrl`: under which URL clients reach the server, a path prefix included; none builds links from the request.
 * - `upload`: how many bytes of an upload are read as sent, and how many after gzip is undone; how many bytes of memory all
 *   uploads may hold together (`BodyBudget`).
 * - `gitHubWebhookSecret`: what GitHub signs its deliveries with; without one they are not taken.
 * - `gitHubAppId`: the app of this server; deliveries for another one are refused.
 * - `createdGitHubApp`: the app that was created from the dashboard, while there is one; it comes before those two.
 * - `gitLab`: the secret that GitLab sends with its deliveries, and the repository of a project by its path; without them
 *   deliveries are not taken.
 * - `dashboard`: the folder with the files of the dashboard; none has a page that says how to build them.
 * - `commandLine`: the path and the version of the built `lazaret.mjs`, which CI jobs load; none answers 404.
 * - `rateLimit`: how many requests a caller may send in a minute; none takes all.
 * - `metricsToken`: the token that grants other machines access to `/metrics`; without one, they have no access.
 * - `isStopping`: whether the server is stopping; then it is not ready.
 */
export const HttpConfig = Context.Reference("@lazaret/http/HttpConfig", {
  defaultValue: (): HttpConfig => ({
    publicUrl: Option.none(),
    upload: { sent: ByteSize.mebibytes(25), unpacked: ByteSize.mebibytes(256), memory: ByteSize.mebibytes(640) },
    gitHubWebhookSecret: Option.none(),
    gitHubAppId: Option.none(),
    createdGitHubApp: Effect.succeedNone,
    gitLab: Option.none(),
    dashboard: Option.none(),
    commandLine: Option.none(),
    rateLimit: Option.none(),
    metricsToken: Option.none(),
    isStopping: Effect.succeed(false)
  })
})

/** The settings of the HTTP interface. */
export interface HttpConfig {
  readonly publicUrl: Option.Option<string>
  readonly upload: {
    readonly sent: ByteSize.ByteSize
    readonly unpacked: ByteSize.ByteSize
    readonly memory: ByteSize.ByteSize
  }
  readonly gitHubWebhookSecret: Option.Option<Redacted.Redacted>
  readonly gitHubAppId: Option.Option<number>
  readonly createdGitHubApp: Effect.Effect<
    Option.Option<{ readonly id: number; readonly webhookSecret: Redacted.Redacted }>
  >
  readonly gitLab: Option.Option<{
    readonly webhookSecret: Redacted.Redacted
    readonly refOf: (path: string) => Option.Option<Repository.RepositoryRef>
  }>
  readonly dashboard: Option.Option<string>
  readonly commandLine: Option.Option<{ readonly file: string; readonly version: string }>
  readonly rateLimit: Option.Option<number>
  readonly metricsToken: Option.Option<Redacted.Redacted>
  readonly isStopping: Effect.Effect<boolean>
}
