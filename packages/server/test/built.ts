/** The setup of tests that start the server or the command line: the one file that `npm start` runs is up to date. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export default (): void => {
  // Without the file they run from source: slower, and with the same results.
  const script = fileURLToPath(new URL("../../tools/src/prepare.ts", import.meta.url))
  spawnSync(process.execPath, [script, "--start"], { stdio: "inherit" })
}
