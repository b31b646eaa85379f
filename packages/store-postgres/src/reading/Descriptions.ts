/** The descriptive fields of a test: each from the latest execution that has it. */
import type { TestDetails } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../repository/Session.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as Parameter from "../database/Parameter.ts"
import type { KnownTest } from "./KnownTests.ts"
import type { Names } from "../blocks/Names.ts"
import type { TestExecution } from "./TestExecutions.ts"

/** The descriptive fields of a test. */
export type Description = Pick<
  TestDetails.IdentityRecord,
  "framework" | "frameworkVersion" | "language" | "filepath" | "functionName"
>

/** A description without fields. */
export const none: Description = {
  framework: null,
  frameworkVersion: null,
  language: null,
  filepath: null,
  functionName: null
}

/** The descriptions of tests, from their executions in order and the names of these executions. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyMap<KnownTest, ReadonlyArray<TestExecution>>,
  names: Names
) {
  const sources = yield* selectSources(
    sql,
    repositoryId,
    [...tests].filter(hasSource).map(([test]) => testNo(test))
  )
  return new Map(
    [...tests].map(([test, executions]): readonly [KnownTest, Description] => {
      const latest = <A>(read: (execution: TestExecution) => A | null | undefined): A | null =>
        executions.reduceRight<A | null>((found, execution) => found ?? read(execution) ?? null, null)
      const source = ({ source: number }: TestExecution) => sources.get(`${testNo(test)} ${number}`)
      const description = {
        framework: latest(({ id }) => names.upload(id)?.framework),
        frameworkVersion: latest(({ id }) => names.upload(id)?.framework_version),
        language: latest(({ id }) => names.upload(id)?.language),
        filepath: latest((execution) => execution.filepath ?? source(execution)?.filepath),
        functionName: latest((execution) => execution.functionName ?? source(execution)?.function_name)
      }
      return [test, description]
    })
  )
})

const hasSource = ([, executions]: readonly [KnownTest, ReadonlyArray<TestExecution>]): boolean =>
  executions.some(({ source }) => source !== null)

const testNo = ({ blockNo, slot }: KnownTest): number => blockNo * slots + slot

interface SourceRow {
  readonly test_no: number
  readonly source_no: number
  readonly filepath: string | null
  readonly function_name: string | null
}

const selectSources = (sql: Sql, repositoryId: number, tests: ReadonlyArray<number>) =>
  Effect.map(
    tests.length === 0
      ? Effect.succeed([])
      : sql<SourceRow>`
      SELECT s.test_no, s.source_no, s.filepath, s.function_name
      FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
      CROSS JOIN LATERAL (
        SELECT test_no, source_no, filepath, function_name
        FROM test_sources
        WHERE repository_id = ${repositoryId} AND test_no = n.test_no
        OFFSET 0
      ) s`,
    (rows) => new Map(rows.map((row) => [`${row.test_no} ${row.source_no}`, row]))
  )
