/** The folder with the files of the dashboard, for the server that shows it. */
import { fileURLToPath } from "node:url"

/** The folder with the built files; it is not there in a clone that has built nothing yet. */
export const folder: string = fileURLToPath(new URL("../dist/site", import.meta.url))
