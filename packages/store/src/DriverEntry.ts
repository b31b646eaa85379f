/**
 * `@lazaret/store/driver`: the port that a storage engine implements, and the rules that its driver calls.
 *
 * **Stability**
 *
 * `Driver`, `RowDriver`, `Table`, `MemoryFacts` and `Settings` change only with a line in the changelog that says what a driver has to do.
 * The other modules are the steps of recording and of reading that drivers of executions share: they change with the stored facts, also in
 * a minor version. `@lazaret/store-conformance` shows what a new version asks of a driver.
 */
export * from "./Driver.ts"
export * from "./StoreError.ts"
export * as Rows from "./Rows.ts"
export * as JobRecords from "./failure/JobRecords.ts"
export * as Triages from "./failure/Triage.ts"
export * as Outages from "./health/Outages.ts"
export * as Rollups from "./health/Rollups.ts"
export * as FailedRuns from "./insight/FailedRuns.ts"
export * as JobHistories from "./insight/JobHistories.ts"
export * as PaidRuns from "./insight/PaidRuns.ts"
export * as MemoryDriver from "./memory/MemoryDriver.ts"
export * as MemoryFacts from "./memory/MemoryFacts.ts"
export * as Aliases from "./report/Aliases.ts"
export * as Claim from "./report/Claim.ts"
export * as DefaultBranch from "./report/DefaultBranch.ts"
export * as ForkTests from "./report/ForkTests.ts"
export * as JobRun from "./report/JobRun.ts"
export * from "./report/PullFact.ts"
export * as Recording from "./report/Recording.ts"
export * as Settings from "./repository/Settings.ts"
export * from "./driver/RowDriver.ts"
export * as Slices from "./driver/Slices.ts"
export * as Storable from "./driver/Storable.ts"
export * from "./driver/Table.ts"
