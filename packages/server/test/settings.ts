import * as Settings from "../src/Settings.ts"

/** A server in memory on a free port. */
export const settings: Settings.Settings = {
  ...Settings.defaults,
  port: 0,
  storage: { _tag: "Memory" },
  dataFolder: "unused"
}
