/** The client commands in one file, `lazaret.mjs`. */
import { fileURLToPath } from "node:url"

/** The path of the file; it does not exist in a clone that has built nothing yet. */
export const path: string = fileURLToPath(new URL("../dist/lazaret.mjs", import.meta.url))
