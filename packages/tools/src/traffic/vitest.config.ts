/** The tests whose traffic `npm run traffic` records: those of the adapters of hosting platforms. */
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import * as Workspace from "../Workspace.ts"

const conditions = ["@lazaret/source"]

export default defineConfig({
  root: Workspace.root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000,
    include: [
      "packages/forge-{github,gitlab}/test/*.test.ts",
      "packages/server/test/{GitHub*,GitLab*,QueueGate}.test.ts"
    ],
    // They need a database, and send what the tests in memory send.
    exclude: ["**/*OnPostgres.test.ts"],
    setupFiles: [join(import.meta.dirname, "record.ts")]
  }
})
