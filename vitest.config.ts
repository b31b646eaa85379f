import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { chromium } from "./packages/web/test/browser/chromium.ts"

const conditions = ["@lazaret/source"]

/** The tests that need a database; it is started for them alone. */
const onPostgres = ["packages/store-postgres/test/**/*.test.ts"]

/** The tests that need a browser. */
const inBrowser = ["packages/web/test/browser/**/*.test.ts"]

const browser = {
  extends: true as const,
  test: {
    name: "browser",
    include: inBrowser,
    globalSetup: ["packages/web/test/browser/globalSetup.ts"]
  }
}

if (chromium() === null) {
  console.warn(
    "\n!!! SKIPPED: there is no Chromium on this machine, so nothing of the dashboard was tested in a browser. Install it " +
      "(Debian: apt-get install chromium) or set CHROMIUM_PATH. !!!\n"
  )
}

// Workers and the commands that tests start compile each module once: Node keeps the code of modules by their content.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, ".cache/node")

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // What a global setup imports is resolved apart.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    // The files of a worker share their modules: loading them for every file took half of the processor time. So a test
    // restores everything of its process that it changes.
    isolate: false,
    reporters: ["default", "junit"],
    outputFile: { junit: "reports/junit.xml" },
    // More files than processors run side by side: many tests wait for a database or another process.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    // Ends a test that hangs; a slow or busy machine stays below it. Benchmarks measure speed, in ratios.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...onPostgres, ...inBrowser]
        }
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: onPostgres,
          // The conformance suite and its traces need much memory (decision 0034).
          isolate: true,
          globalSetup: ["packages/store-postgres/test/support/globalSetup.ts"]
        }
      },
      ...(chromium() === null ? [] : [browser])
    ]
  }
})
