/** Words that differ between hosting platforms, in sentences that people read there. */
import { Effect, Option } from "effect"
import type { PlatformSetup } from "../ports/PlatformSetup.ts"

/** A hosting platform; null while it is not known. */
export type Platform = "github" | "gitlab" | null

/** A person at the platform. */
export const user = (platform: Platform, name: string): string =>
  `${platform === "gitlab" ? "GitLab" : "GitHub"} user ${name}`

/** The sign before the number of a pull request: GitLab writes `!7`. */
export const sign = (platform: Platform): "#" | "!" => (platform === "gitlab" ? "!" : "#")

/**
 * A sentence that names pull requests, such as `#7`, as the platform writes them.
 *
 * **Details**
 *
 * GitLab writes `!7`: there `#7` is an issue, and a link to it.
 */
export const sentence = (platform: Platform, text: string): string =>
  platform === "gitlab" ? text.replaceAll(/(?<![\w&/#])#(?=\d+\b)/gu, sign(platform)) : text

/** The platform that is connected now. */
export const connected = (setup: Option.Option<PlatformSetup["Service"]>): Effect.Effect<Platform> =>
  Option.match(setup, { onNone: () => Effect.succeed(null), onSome: ({ platform }) => platform })
