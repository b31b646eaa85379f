/** The law of the storage driver: what every rule of storage relies on. */
import type { Driver } from "@lazaret/store"
import type { Case } from "../law/Case.ts"
import * as LogLaws from "./LogLaws.ts"
import * as QueryLaws from "./QueryLaws.ts"
import * as RepositoryLaws from "./RepositoryLaws.ts"
import * as RowLaws from "./RowLaws.ts"
import * as TableLaws from "./TableLaws.ts"
import * as TransactionLaws from "./TransactionLaws.ts"

/** Every case of the driver. They use the tables of `Rows`, in repositories of their own and with new ids. */
export const cases: ReadonlyArray<Case<Driver>> = [
  ...RowLaws.cases,
  ...TableLaws.cases,
  ...QueryLaws.cases,
  ...TransactionLaws.cases,
  ...LogLaws.cases,
  ...RepositoryLaws.cases
]
