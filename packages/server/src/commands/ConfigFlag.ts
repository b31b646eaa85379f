/** The flag that names the configuration file. */
import { Flag } from "effect/cli"

/** `--config file`. */
export const flag = Flag.String("config").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription(
    "Configuration file of lines NAME=value (LAZARET_CONFIG_FILE, else none); the environment takes precedence"
  ),
  Flag.optional
)
