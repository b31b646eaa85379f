/**
 * Where the files of the dashboard are: what a server that shows it needs to know.
 *
 * @since 0.1.0
 */
import { fileURLToPath } from "node:url"

/**
 * The folder with the built files; it is not there in a clone that has built nothing yet.
 *
 * @category constants
 * @since 0.1.0
 */
export const folder: string = fileURLToPath(new URL("../dist/site", import.meta.url))
