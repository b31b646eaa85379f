/** The port of the app that acts for this server at the hosting platform, and of its creation from the dashboard. */
import type { Repository } from "@lazaret/domain"
import { Context, Effect, type Redacted, Schema } from "effect"

/** An app that is registered at the platform; `url` is its public page. */
export interface RegisteredApp {
  readonly id: number
  readonly name: string
  readonly owner: string
  readonly url: string
}

/**
 * The connection of this server.
 *
 * **Details**
 *
 * - `source`: `settings` for an app or a token that the operator has set, `created` for an app that was created here.
 * - `app`: null for a token, and when the platform does not confirm the app; then `problem` says why.
 * - `obstacle`: why no app can be created now; null when one can.
 */
export interface Connected {
  readonly source: "settings" | "created" | "none"
  readonly app: RegisteredApp | null
  readonly problem: string | null
  readonly obstacle: string | null
}

/** The answer of the platform about a repository now; `detail` has its words. */
export interface RepositoryConnection {
  readonly state: "off" | "installed" | "not_installed" | "refused" | "unavailable"
  readonly detail: string | null
  readonly defaultBranch: string | null
}

/**
 * A begun registration.
 *
 * **Details**
 *
 * - `state`: 192 random bits that the platform returns with its code. It is good for one registration, within an hour.
 * - `form`: the address at the platform that takes the manifest as the form field `manifest`.
 */
export interface Registration {
  readonly state: Redacted.Redacted
  readonly form: string
  readonly manifest: string
}

/**
 * Why an app was not registered; `message` is a sentence for people, without secrets.
 *
 * **To do:** Show `message`, and start the registration again from the dashboard.
 */
export class AppNotRegistered extends Schema.TaggedError<AppNotRegistered>()("AppNotRegistered", {
  reason: Schema.Literals(["obstacle", "state", "platform", "file"]),
  message: Schema.String
}) {}

/**
 * The app of this server.
 *
 * **Laws**
 *
 * - A failed `complete` stores nothing. A state counts once, however `complete` ends.
 * - What `complete` registered is in use when it returns, and after a restart.
 * - `forget` disconnects an app that was created here. It yields false when no app was created here.
 */
export interface ForgeApp {
  readonly connected: Effect.Effect<Connected>
  readonly connectionOf: (ref: Repository.RepositoryRef) => Effect.Effect<RepositoryConnection>
  /** Begins a registration for a person (null) or an organisation. */
  readonly begin: (organization: string | null) => Effect.Effect<Registration, AppNotRegistered>
  /** The begun registration of a state; it stays valid. */
  readonly begun: (state: Redacted.Redacted) => Effect.Effect<Registration, AppNotRegistered>
  /** Exchanges the code of the platform for the app, stores it, and connects. */
  readonly complete: (state: Redacted.Redacted, code: string) => Effect.Effect<RegisteredApp, AppNotRegistered>
  readonly forget: Effect.Effect<boolean, AppNotRegistered>
}

const unavailable = new AppNotRegistered({ reason: "obstacle", message: "This server cannot create apps." })

/** The app of the server; without a server that provides it nothing is connected. */
export const ForgeApp: Context.Reference<ForgeApp> = Context.Reference<ForgeApp>("@lazaret/services/ForgeApp", {
  defaultValue: () => ({
    connectionOf: () => Effect.succeed({ state: "off", detail: null, defaultBranch: null }),
    connected: Effect.succeed({ source: "none", app: null, problem: null, obstacle: unavailable.message }),
    begin: () => Effect.fail(unavailable),
    begun: () => Effect.fail(unavailable),
    complete: () => Effect.fail(unavailable),
    forget: Effect.succeed(false)
  })
})
