/** The tables of the judgements on tests: quarantines and first verdicts, and the pull requests of commits. */
import {
  FailurePrecision,
  FailureVerdict,
  type PullHead,
  type PullRef,
  Quarantine,
  QuarantineLife,
  Report,
  TestId
} from "@lazaret/domain"
import { Schema } from "effect"
import type { Table } from "../driver/Table.ts"
import type { Suspension } from "../failure/VerdictStore.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** A commit and the pull request that brought it. */
export interface PullRow extends Omit<PullRef.PullRef, "user"> {
  readonly commit: string
  readonly userId: number
  readonly userLogin: string
}

/** Pull requests by commit. */
export const pulls: Table<PullRow> = {
  name: "pulls",
  scope: "repository",
  columns: {
    commit: "text",
    id: "integer",
    number: "integer",
    title: "text",
    userId: "integer",
    userLogin: "text"
  },
  key: ["commit"],
  ...rowsOf(Schema.Struct({ commit: Str, id: Num, number: Num, title: Str, userId: Num, userLogin: Str }))
}

/** A commit and the number of a pull request that it belongs to; a commit may belong to several. */
export interface PullNumberRow {
  readonly commit: string
  readonly number: number
}

/** Numbers of pull requests by commit. */
export const pullNumbers: Table<PullNumberRow> = {
  name: "pull_numbers",
  scope: "repository",
  columns: { commit: "text", number: "integer" },
  key: ["commit", "number"],
  ...rowsOf(Schema.Struct({ commit: Str, number: Num }))
}

/** The row of a commit and the pull request that brought it. */
export const pullRow = ({ commit, pull }: { readonly commit: string; readonly pull: PullRef.PullRef }): PullRow => ({
  commit,
  id: pull.id,
  number: pull.number,
  title: pull.title,
  userId: pull.user.id,
  userLogin: pull.user.login
})

/** A commit that is, or was, the head of a pull request; 1 stands for a fork. */
export interface PullHeadRow extends Omit<PullHead.PullHead, "isFork"> {
  readonly isFork: number
}

/** Heads of pull requests. */
export const pullHeads: Table<PullHeadRow> = {
  name: "pull_heads",
  scope: "repository",
  columns: { number: "integer", commit: "text", owner: "text", isFork: "integer" },
  key: ["number", "commit"],
  ...rowsOf(Schema.Struct({ number: Num, commit: Str, owner: Str, isFork: Num }))
}

/** The row of a head. */
export const pullHeadRow = (head: PullHead.PullHead): PullHeadRow => ({ ...head, isFork: head.isFork ? 1 : 0 })

/** The head in a row. */
export const pullHeadOf = (row: PullHeadRow): PullHead.PullHead => ({ ...row, isFork: row.isFork === 1 })

/** The pull request that a run names for its commit; what a fork says of one is not kept. */
export const pullsOf = (
  run: Pick<Report.RunContext, "branch" | "commit" | "pullRequest">
): ReadonlyArray<{ readonly commit: string; readonly pull: PullRef.PullRef }> =>
  run.pullRequest === null || Report.isFork(run) ? [] : [{ commit: run.commit, pull: run.pullRequest }]

/** The number of the pull request that a run names for its commit; what a fork says of one is not kept. */
export const pullNumbersOf = (
  run: Pick<Report.RunContext, "branch" | "commit" | "pullNumber" | "pullRequest">
): ReadonlyArray<PullNumberRow> => {
  const number = run.pullRequest?.number ?? run.pullNumber
  return number === null || Report.isFork(run) ? [] : [{ commit: run.commit, number }]
}

/** The pull request in a row. */
export const pullOf = ({ id, number, title, userId, userLogin }: PullRow): PullRef.PullRef => ({
  id,
  number,
  title,
  user: { id: userId, login: userLogin }
})

/**
 * A quarantine with the id of its test. Earlier quarantines may have the same id and another `record`: the position of the
 * log after which each began.
 */
export interface QuarantineRow extends Quarantine.Quarantine {
  readonly record: number
  readonly testId: TestId.TestId
}

/** Quarantines, ended ones included. */
export const quarantines: Table<QuarantineRow> = {
  name: "quarantines",
  scope: "repository",
  columns: {
    record: "integer",
    id: "text",
    testId: "uuid",
    testName: "text",
    reason: "text",
    branch: "text",
    createdAt: "instant",
    createdBy: "text",
    source: "text",
    removedAt: "instant",
    removedBy: "text",
    expiresAt: "instant",
    remindAt: "instant",
    owner: "text",
    ticket: "text",
    scope: "text"
  },
  key: ["record"],
  ...rowsOf(
    Schema.Struct({
      record: Num,
      id: Str,
      testId: TestId.TestId,
      testName: Str,
      reason: Str,
      branch: Schema.NullOr(Str),
      createdAt: Num,
      createdBy: Str,
      source: Quarantine.Source,
      removedAt: Schema.NullOr(Num),
      removedBy: Schema.NullOr(Str),
      expiresAt: Schema.NullOr(Num),
      remindAt: Schema.NullOr(Num),
      owner: Schema.NullOr(Str),
      ticket: Schema.NullOr(Str),
      scope: QuarantineLife.Scope
    })
  )
}

/** The first verdict on a failure, its outcome, and its mark: null while nobody has marked it. */
export interface FirstVerdictRow extends FailurePrecision.FirstVerdict {
  readonly outcome: FailurePrecision.Truth | null
  readonly truth: FailurePrecision.Truth | null
  readonly markedBy: string | null
  readonly markedAt: number | null
}

/** First verdicts. */
export const firstVerdicts: Table<FirstVerdictRow> = {
  name: "first_verdicts",
  scope: "repository",
  columns: {
    testId: "uuid",
    executionId: "text",
    testName: "text",
    pipelineName: "text",
    jobName: "text",
    commit: "text",
    runId: "text",
    at: "instant",
    verdict: "text",
    probability: "json",
    odds: "json",
    base: "text",
    outcome: "text",
    truth: "text",
    markedBy: "text",
    markedAt: "instant"
  },
  key: ["testId", "executionId"],
  ...rowsOf(
    Schema.Struct({
      testId: TestId.TestId,
      executionId: Str,
      testName: Str,
      pipelineName: Str,
      jobName: Str,
      commit: Str,
      runId: Schema.NullOr(Str),
      at: Num,
      verdict: FailureVerdict.Verdict,
      probability: Num,
      odds: Num,
      base: FailurePrecision.BaseState,
      outcome: Schema.NullOr(FailurePrecision.Truth),
      truth: Schema.NullOr(FailurePrecision.Truth),
      markedBy: Schema.NullOr(Str),
      markedAt: Schema.NullOr(Num)
    })
  )
}

/** Suspensions of excuses by verdict: since when, and what was known then. */
export const suspensions: Table<Suspension> = {
  name: "excuse_suspensions",
  scope: "repository",
  columns: { since: "instant", reason: "text" },
  key: [],
  ...rowsOf(Schema.Struct({ since: Num, reason: Str }))
}
