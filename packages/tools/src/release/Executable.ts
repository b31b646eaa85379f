/**
 * The command line as one executable file: Node with the client commands in it. Node calls this a single executable
 * application.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "postject"
import { build } from "rolldown"
import * as Workspace from "../Workspace.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** Makes the file for the platform of this process. */
export const make = async (): Promise<void> => {
  const place = join(Plan.workshop, "cli")
  mkdirSync(place, { recursive: true })
  Shell.run(process.execPath, [join(Workspace.root, "packages/cli/build.ts")])
  await build({
    input: join(Workspace.root, "packages/cli/dist/lazaret.mjs"),
    platform: "node",
    // Node starts such a program as a CommonJS module, which has no `import.meta`.
    transform: { define: { "import.meta.url": "moduleUrl", "import.meta": "{}" } },
    output: { file: join(place, "lazaret.cjs"), format: "cjs", codeSplitting: false, minify: true, intro },
    logLevel: "warn"
  })
  const config = { main: "lazaret.cjs", output: "lazaret.blob", disableExperimentalSEAWarning: true }
  writeFileSync(join(place, "sea.json"), JSON.stringify(config))
  Shell.run(process.execPath, ["--experimental-sea-config", "sea.json"], { cwd: place })
  const file = Plan.pathOf("cli")
  copyFileSync(process.execPath, file)
  chmodSync(file, 0o755)
  await inject(file, "NODE_SEA_BLOB", readFileSync(join(place, "lazaret.blob")), { sentinelFuse })
  rmSync(place, { recursive: true })
}

const intro = `const moduleUrl = require("node:url").pathToFileURL(__filename).href;`

/** The text that Node looks for in itself (https://nodejs.org/api/single-executable-applications.html). */
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"
