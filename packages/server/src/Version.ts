/**
 * The version of this package.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"

/**
 * The version, as in the manifest.
 *
 * @category constants
 * @since 0.1.0
 */
export const version: string = String(
  // A manifest that npm installed is an object with a version.
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string })
    .version
)
