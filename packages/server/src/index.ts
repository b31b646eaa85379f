/** The Lazaret server: its settings, and the layer that is a running server. */
export * as AdminKey from "./access/AdminKey.ts"
export * as Server from "./Server.ts"
export * as Settings from "./Settings.ts"
export * as SettingsReference from "./settings/Reference.ts"
export * as Storage from "./Storage.ts"
