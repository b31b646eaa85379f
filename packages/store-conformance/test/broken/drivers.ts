/** Drivers that each break a promise, with the laws of the driver that they must turn red. */
import type { BrokenDriver } from "./Faults.ts"
import { ofRepositories, ofTransactions } from "./scopes.ts"
import { ofQueries, ofTables } from "./tables.ts"

/** Every broken driver. */
export const all: ReadonlyArray<BrokenDriver> = [...ofTables, ...ofQueries, ...ofTransactions, ...ofRepositories]
