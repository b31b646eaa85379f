import { defineConfig } from "vitest/config"

const conditions = ["@lazaret/source"]

/** The tests that need a database; it is started for them alone. */
const onPostgres = ["packages/store-postgres/test/**/*.test.ts"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // What a global setup imports is resolved apart.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    reporters: ["default", "junit"],
    outputFile: { junit: "reports/junit.xml" },
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...onPostgres]
        }
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: onPostgres,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          globalSetup: ["packages/store-postgres/test/support/globalSetup.ts"]
        }
      }
    ]
  }
})
