/** The log: on stderr, one JSON object per line or text for people, and from which level on. */
import { Layer, Logger, type LogLevel, References } from "effect"
import type { Settings } from "./Settings.ts"

/** The log as it is set. */
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
