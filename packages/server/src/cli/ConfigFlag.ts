/**
 * The flag that names the configuration file.
 *
 * @since 0.1.0
 */
import { Flag } from "effect/cli"

/**
 * `--config file`.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag = Flag.String("config").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("Configuration file of lines NAME=value (LAZARET_CONFIG_FILE, else none); the environment wins"),
  Flag.optional
)
