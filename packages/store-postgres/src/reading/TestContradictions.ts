/** The contradictions of single tests on other branches. */
import type { Contradiction, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as ChunkRows from "../blocks/ChunkRows.ts"
import * as Contradictions from "../blocks/Contradictions.ts"
import type * as Names from "../blocks/Names.ts"
import type { Sql } from "../repository/Session.ts"
import type { KnownTest } from "./KnownTests.ts"
import type { Lists, TestExecution } from "./TestExecutions.ts"

/** The contradictions of tests, each list in order, and the executions of a test together with them. */
export interface TestContradictions {
  readonly of: (test: KnownTest) => ReadonlyArray<Contradictions.RunContradiction>
  readonly itemsOf: (
    test: KnownTest,
    executions: ReadonlyArray<TestExecution>
  ) => ReadonlyArray<TestExecution | Contradictions.RunContradiction>
}

/** The stored contradictions of tests that count by the settings. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  { settings }: { readonly settings: Repository.RepositorySettings },
  tests: Lists
) {
  const blocks = [...new Set(tests.flatMap(([{ blockNo, isContradicted }]) => (isContradicted ? [blockNo] : [])))]
  const found = yield* Contradictions.select(
    { sql, repositoryId, settings },
    blocks.map((blockNo) => ({ blockNo, after: null }))
  )
  const inBlocks = [...found.values()].flat()
  const executions = inBlocks.length === 0 ? [] : tests.flatMap(([, list]) => list)
  const compare = yield* ChunkRows.order({ sql, repositoryId }, [...executions, ...inBlocks])
  const of: TestContradictions["of"] = ({ blockNo, slot }) =>
    (found.get(blockNo) ?? []).filter((each) => each.slot === slot).sort(compare)
  const contradictions: TestContradictions = {
    of,
    itemsOf: (test, list) => {
      const others = of(test)
      return others.length === 0 ? list : [...list, ...others].sort(compare)
    }
  }
  return contradictions
})

/** A contradiction with its names. */
export const named = (names: Names.Names, each: Contradictions.RunContradiction): Contradiction.Found => ({
  id: names.execution(each.id),
  at: each.at,
  commit: names.commit(each.commit),
  conclusion: each.conclusion,
  branch: each.branch,
  runId: each.runId,
  baseBranch: each.baseBranch,
  openedAt: each.openedAt,
  jobUrl: names.upload(each.id)?.job_url ?? null
})
