/** The version of this package. */
import { readFileSync } from "node:fs"

/** The version, as in the manifest. */
export const version: string = String(
  // A manifest that npm installed is an object with a version.
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string })
    .version
)
