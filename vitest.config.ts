import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { chromium } from "./packages/web/test/browser/chromium.ts"

const conditions = ["@lazaret/source"]

const anywhere = ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"]

/** The tests that need a database; it is started for them alone. */
const onPostgres = ["packages/store-postgres/test/**/*.test.ts"]

/** The tests that need a browser. */
const inBrowser = ["packages/web/test/browser/**/*.test.ts"]

/** The tests that are slow and fail rarely: those of `npm run check`, which `npm test` leaves out. */
const long = [
  "packages/benchmarks/**/Training.test.ts",
  "packages/forge-github/test/{ByHand,CertificationOnGit,EveryDriveCrash,EveryGateCrash}.test.ts",
  "packages/forge-gitlab/test/DriveCrash.test.ts",
  "packages/integrations/test/{Grafana,Operations,Pages,Snippets}.test.ts",
  "packages/postgres-embedded/test/EmbeddedPostgres.test.ts",
  "packages/queue/test/engine/EngineModel.test.ts",
  "packages/server/test/{Attack,Crash,Damage,Storage,StressRunners,Tutorial}.test.ts",
  "packages/store-conformance/test/Conformance.test.ts"
]
const longOnPostgres = [
  "packages/forge-github/test/{Drive,Gate}OnPostgres.test.ts",
  "packages/store-postgres/test/{ArrivalOrder,ConcurrentUploads,Damage,Differential,Distribution,Histories,NoAnswer,PostgresUpkeepStore}.test.ts"
]
const longInBrowser = ["packages/web/test/browser/{Admin,Causes,Cost,Narrow,Settings,SignInWith,Slower}.test.ts"]

/** The laws whose number of runs is `LAWS_RUNS`: where it is set, the long tests hold them, too. */
const isRepeated = process.env["LAWS_RUNS"] !== undefined
const laws = ["packages/queue/**/{Engine,Gate}Laws.test.ts", "packages/forge-github/test/Crash.test.ts"]
const lawsOnPostgres = ["packages/store-postgres/test/conformance/*.test.ts"]

/** The tests of some files, without those of others. */
const project = (
  name: string,
  include: ReadonlyArray<string>,
  exclude: ReadonlyArray<string>,
  rest: TestProjectInlineConfiguration["test"] = {}
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { ...rest, name, include: [...include], exclude: ["**/node_modules/**", ...exclude] }
})

const database = {
  // The conformance suite and its traces need much memory (decision 0002).
  isolate: true,
  globalSetup: ["packages/store-postgres/test/support/globalSetup.ts"]
}

const browser = { globalSetup: ["packages/web/test/browser/globalSetup.ts"] }

/** The files that take longest, which start first: else one of them is last, and the other processors wait for it. */
const slow =
  /store-postgres\/test\/(?:conformance|Histories|Differential|PostgresUpkeepStore|PostgresRetentionStore|ConcurrentUploads|Upgrade)|web\/test\/browser\/(?:Admin|Causes|Failures|Overview|Quarantine|Queue|Settings|Test|Tests)\.|server\/test\/(?:Attack|Crash|Tutorial|Storage|CommandLine|KeptAnswers|Operations|QueueGate|Stress)|(?:Fuzz|Access|Certification|MemoryStores|GateScenarios)\.test/u

const isSlow = ({ moduleId }: TestSpecification): boolean => slow.test(moduleId)

class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((each) => !isSlow(each))]
  }
}

if (chromium() === null) {
  console.warn(
    "\n!!! SKIPPED: there is no Chromium on this machine, so nothing of the dashboard was tested in a browser. Install it " +
      "(Debian: apt-get install chromium) or set CHROMIUM_PATH. !!!\n"
  )
}

// Tests start the server and the command line from the one file of `npm start`, and look at the dashboard: both are made here, once,
// where sources have changed. Without that file they run from source, slower, with the same results.
spawnSync(process.execPath, [join(import.meta.dirname, "packages/tools/src/prepare.ts"), "--start"], {
  stdio: "inherit"
})

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
    setupFiles: ["packages/tools/src/seeds.ts"],
    reporters: ["default", "junit"],
    outputFile: { junit: "reports/junit.xml" },
    // More files than processors run side by side: many tests wait for a database or another process.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: SlowFirst },
    // Ends a test that hangs; a slow or busy machine stays below it. Benchmarks measure speed, in ratios.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      project("plain", anywhere, [...onPostgres, ...longOnPostgres, ...inBrowser, ...long]),
      project("postgres", onPostgres, longOnPostgres, database),
      ...(chromium() === null
        ? []
        : [
            project("browser", inBrowser, longInBrowser, browser),
            project("long in a browser", longInBrowser, [], browser)
          ]),
      project("long", [...long, ...(isRepeated ? laws : [])], []),
      project("long on postgres", [...longOnPostgres, ...(isRepeated ? lawsOnPostgres : [])], [], database)
    ]
  }
})
