/** The commits of a repository and their numbers. */
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/** The numbers of commits; an unknown commit gets the next free number. */
export const ensure = Effect.fnUntraced(function* (session: Session, shas: Iterable<string>) {
  const wanted = [...new Set(shas)]
  const numbers = new Map((yield* select(session, wanted)).map((row) => [row.sha, row.commit_no]))
  const missing = wanted.filter((sha) => !numbers.has(sha))
  for (const sha of missing) numbers.set(sha, session.head.commit++)
  if (missing.length > 0) yield* insert(session, missing, numbers)
  return numbers
})

interface Row {
  readonly commit_no: number
  readonly sha: string
}

const select = ({ repositoryId, sql }: Session, shas: ReadonlyArray<string>) => sql<Row>`
  SELECT c.commit_no, c.sha
  FROM unnest(${Parameter.texts(shas)}) AS n (sha)
  CROSS JOIN LATERAL (
    SELECT commit_no, sha
    FROM commits
    WHERE repository_id = ${repositoryId} AND sha = n.sha
    OFFSET 0
  ) c`

const insert = (
  { repositoryId, sql }: Session,
  shas: ReadonlyArray<string>,
  numbers: ReadonlyMap<string, number>
) => sql`
  INSERT INTO commits (repository_id, commit_no, sha)
  SELECT ${repositoryId}, n.commit_no, n.sha
  FROM unnest(
    ${Parameter.int4s(shas.map((sha) => numbers.get(sha) ?? null))},
    ${Parameter.texts(shas)}
  ) AS n (commit_no, sha)`
