/**
 * Failure groups and their latest events (`Failure.groupOf`).
 *
 * Groups are counted per branch, so that a change of the default branch only selects other rows. The order of arrival
 * does not matter: counts are sums, and the latest event is the latest in the order of executions.
 */
import { Execution, Failure, Repository, TestId } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import type { NumberedUpload, Upload } from "./Uploads.ts"

/**
 * The branch that the failures of a run are counted for: '' when the run has no branch, null when the run can never be
 * of a default branch.
 */
const branchOf = (run: { readonly branch: string | null; readonly baseBranch: string | null }): string | null => {
  const branch = run.branch ?? ""
  return Repository.isDefaultBranch(run, branch) ? branch : null
}

/** Adds the failures of uploads to their groups, in portions: an upload may hold 200,000 of them. */
export const add = Effect.fnUntraced(function* (session: Session, uploads: ReadonlyArray<NumberedUpload>) {
  for (const failures of Slices.byWeight(failuresOf(uploads), () => 1, failuresPerPortion)) {
    const groups = yield* grouped(failures)
    for (const some of Slices.byWeight(groups.values(), charactersOf, charactersAtOnce)) {
      const full = (yield* upsertGroups(session, some)).filter((row) => row.failure_count > Failure.latestEvents)
      yield* insertEvents(session, some)
      if (full.length > 0) yield* thinEvents(session, full)
    }
  }
})

/** The number of failures whose groups are in memory at the same time. */
const failuresPerPortion = 8192

/** The number of characters that are sent before other fibers run: some milliseconds. */
const charactersAtOnce = 1_048_576

/** The number of failures that are grouped before other fibers run: their messages are read with many expressions. */
const failuresAtOnce = 128

interface Group {
  readonly testId: string
  readonly failureId: string
  readonly branch: string
  count: number
  firstAt: number
  /** In order, the latest last. */
  members: Array<Member>
}

interface Member {
  readonly execution: Execution.Execution
  readonly upload: Upload
  readonly exceptionType: string
  readonly exceptionMessage: string
}

const grouped = Effect.fnUntraced(function* (failures: ReadonlyArray<FailureOf>) {
  const groups = new Map<string, Group>()
  yield* Slices.visit(failures, failuresAtOnce, ({ branch, exception, execution, upload }) => {
    const testId = TestId.of(execution.testName)
    const { exceptionMessage, exceptionType, id } = Failure.groupOf(testId, exception)
    const key = `${id} ${testId} ${branch}`
    const group = groups.get(key) ?? { testId, failureId: id, branch, count: 0, firstAt: Infinity, members: [] }
    groups.set(key, group)
    include(group, { execution, upload, exceptionType, exceptionMessage })
  })
  return groups
})

interface FailureOf extends Pick<Member, "execution" | "upload"> {
  readonly branch: string
  readonly exception: Execution.ExceptionReport
}

function* failuresOf(uploads: ReadonlyArray<NumberedUpload>): Generator<FailureOf> {
  for (const upload of uploads) {
    const branch = branchOf(upload.report.run)
    if (branch === null) continue
    for (const index of upload.failed) {
      const execution = upload.report.executions[index]
      const exception = execution?.exception ?? null
      if (execution !== undefined && exception !== null) yield { branch, exception, execution, upload }
    }
  }
}

/** The number of characters that the statements about a group send. */
const charactersOf = ({ members }: Group): number =>
  members.reduce(
    (sum, { exceptionMessage, execution }) =>
      sum + charactersOfRow + exceptionMessage.length + (execution.exception?.stacktrace?.length ?? 0),
    0
  )

const charactersOfRow = 256

const include = (group: Group, member: Member): void => {
  group.count += 1
  group.firstAt = Math.min(group.firstAt, member.execution.at)
  group.members.push(member)
  group.members = group.members.sort((a, b) => Execution.order(a.execution, b.execution)).slice(-Failure.latestEvents)
}

interface GroupKey {
  readonly test_id: string
  readonly failure_id: string
  readonly branch: string
}

const upsertGroups = ({ repositoryId, sql }: Session, groups: ReadonlyArray<Group>) => sql<
  GroupKey & { readonly failure_count: number }
>`
  INSERT INTO failure_groups AS g (
    repository_id, test_id, failure_id, branch, exception_type, exception_message, failure_count, first_at, last_at,
    last_id
  )
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.uuids(groups.map((group) => group.testId))},
    ${Parameter.uuids(groups.map((group) => group.failureId))},
    ${Parameter.texts(groups.map((group) => group.branch))},
    ${Parameter.texts(groups.map((group) => latest(group)?.exceptionType ?? ""))},
    ${Parameter.texts(groups.map((group) => latest(group)?.exceptionMessage ?? ""))},
    ${Parameter.int4s(groups.map((group) => group.count))},
    ${Parameter.instants(groups.map((group) => group.firstAt))},
    ${Parameter.instants(groups.map((group) => latest(group)?.execution.at ?? 0))},
    ${Parameter.texts(groups.map((group) => latest(group)?.execution.id ?? ""))}
  ) AS n (
    test_id, failure_id, branch, exception_type, exception_message, failure_count, first_at, last_at, last_id
  )
  ORDER BY n.test_id, n.failure_id, n.branch COLLATE "C"
  ON CONFLICT (repository_id, test_id, failure_id, branch) DO UPDATE
  SET
    failure_count = g.failure_count + EXCLUDED.failure_count,
    first_at = least(g.first_at, EXCLUDED.first_at),
    exception_type = ${later(sql, "exception_type")},
    exception_message = ${later(sql, "exception_message")},
    last_at = ${later(sql, "last_at")},
    last_id = ${later(sql, "last_id")}
  RETURNING g.test_id, g.failure_id, g.branch, g.failure_count`

/** The value of the group that failed last. */
const later = (sql: Session["sql"], column: string) =>
  sql.literal(`
  CASE WHEN (g.last_at, g.last_id COLLATE "C") < (EXCLUDED.last_at, EXCLUDED.last_id COLLATE "C")
  THEN EXCLUDED.${column} ELSE g.${column} END`)

const latest = (group: Group): Member | undefined => group.members.at(-1)

const insertEvents = ({ repositoryId, sql }: Session, groups: ReadonlyArray<Group>) => {
  const rows = groups.flatMap((group) => group.members.map((member) => ({ group, ...member })))
  return sql`
    INSERT INTO failure_events (
      repository_id, test_id, failure_id, branch, at, execution_id, stacktrace, filepath, language, job_url
    )
    SELECT ${repositoryId}, n.*
    FROM unnest(
      ${Parameter.uuids(rows.map(({ group }) => group.testId))},
      ${Parameter.uuids(rows.map(({ group }) => group.failureId))},
      ${Parameter.texts(rows.map(({ group }) => group.branch))},
      ${Parameter.instants(rows.map(({ execution }) => execution.at))},
      ${Parameter.texts(rows.map(({ execution }) => execution.id))},
      ${Parameter.texts(rows.map(({ execution }) => execution.exception?.stacktrace ?? null))},
      ${Parameter.texts(rows.map(({ execution }) => execution.filepath))},
      ${Parameter.texts(rows.map(({ upload }) => upload.report.run.language))},
      ${Parameter.texts(rows.map(({ upload }) => upload.report.run.jobUrl))}
    ) AS n (test_id, failure_id, branch, at, execution_id, stacktrace, filepath, language, job_url)
    ORDER BY n.test_id, n.failure_id, n.branch COLLATE "C", n.at
    ON CONFLICT DO NOTHING`
}

/**
 * Keeps the latest events of each group. A `ctid` is unique on one node only, so the repository is compared as well.
 */
const thinEvents = ({ repositoryId, sql }: Session, full: ReadonlyArray<GroupKey>) => sql`
  DELETE FROM failure_events
  WHERE repository_id = ${repositoryId} AND ctid = ANY(ARRAY(
    SELECT e.ctid
    FROM unnest(
      ${Parameter.uuids(full.map((row) => row.test_id))},
      ${Parameter.uuids(full.map((row) => row.failure_id))},
      ${Parameter.texts(full.map((row) => row.branch))}
    ) AS n (test_id, failure_id, branch)
    CROSS JOIN LATERAL (
      SELECT ctid
      FROM failure_events
      WHERE repository_id = ${repositoryId} AND test_id = n.test_id AND failure_id = n.failure_id
        AND branch = n.branch
      ORDER BY at DESC, execution_id COLLATE "C" DESC
      OFFSET ${Failure.latestEvents}
    ) e
  ))`
