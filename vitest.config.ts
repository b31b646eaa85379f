import { defineConfig } from "vitest/config"

const conditions = ["@lazaret/source"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"],
    reporters: ["default", "junit"],
    outputFile: { junit: "reports/junit.xml" }
  }
})
