import { Option } from "effect"
import type * as Settings from "../src/Settings.ts"

/** A server in memory on a free port. */
export const settings: Settings.Settings = {
  host: "127.0.0.1",
  port: 0,
  storage: { _tag: "Memory" },
  dataFolder: "unused",
  adminKey: Option.none(),
  publicUrl: null,
  gitHubApiUrl: null,
  gitHubWebhookSecret: Option.none()
}
