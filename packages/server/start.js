/**
 * `npm start`: the command `lazaret` from the one file that `build.ts` made, and from source without it. What Node compiles is
 * kept for the next start.
 */
import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

const bundle = new URL("../../.cache/start/lazaret.mjs", import.meta.url)

enableCompileCache(fileURLToPath(new URL("../../.cache/node", import.meta.url)))
await import(existsSync(bundle) ? bundle.href : "@lazaret/cli/bin")
