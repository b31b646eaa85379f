/** The log on stderr: its format and its lowest level. */
import { Layer, Logger, type LogLevel, References } from "effect"
import type { Settings } from "./Settings.ts"

/** The logger in the format and from the level of the settings. */
export const layer = ({ logFormat, logLevel }: Pick<Settings, "logFormat" | "logLevel">): Layer.Layer<never> => {
  const isText = logFormat === "text" || (logFormat === "auto" && process.stderr.isTTY)
  const logger = isText
    ? Logger.consolePretty({ colors: process.stderr.isTTY })
    : Logger.withConsoleError(Logger.formatJson)
  const level = logLevel === null ? Layer.empty : Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(Logger.LogToStderr, true), level)
}

const levels: { readonly [L in NonNullable<Settings["logLevel"]>]: LogLevel.LogLevel } = {
  error: "Error",
  warn: "Warn",
  info: "Info",
  debug: "Debug",
  trace: "Trace"
}
