/** The texts about tests that have run on other branches only. */
import type { Schemas } from "@lazaret/api"
import * as Session from "../../connection/Session.ts"
import * as Table from "../../terminal/Table.ts"
import { paint, plain, type Terminal } from "../../terminal/Terminal.ts"
import { linkOf, type One } from "./TestText.ts"

type Explained = typeof Schemas.ExplainedTest.Type

type BranchRun = typeof Schemas.BranchRun.Type

type BranchTest = typeof Schemas.BranchTest.Type

/** A test that has run on other branches only. */
export const unmergedOf = (
  terminal: Terminal,
  { elsewhere, test_name }: Explained,
  session: Session.Session,
  one: One
): string =>
  [
    `${paint(terminal, "bold", plain(test_name))} has no health yet`,
    linkOf(session, one),
    "",
    plain(elsewhere.sentence ?? ""),
    ...(elsewhere.latest.length === 0 ? [] : ["", Table.make(terminal, branchColumns, elsewhere.latest.toReversed())])
  ].join("\n")

const branchColumns: ReadonlyArray<Table.Column<BranchRun>> = [
  { heading: "finished", cell: ({ finished_at }) => Session.minuteOf(finished_at) },
  {
    heading: "outcome",
    cell: ({ conclusion }) => conclusion,
    colour: ({ conclusion }) => (conclusion === "failed" ? "red" : null)
  },
  { heading: "branch", cell: ({ branch }) => branch, canShrink: true },
  { heading: "commit", cell: ({ commit }) => commit.slice(0, 12) },
  { heading: "run", cell: ({ run_id }) => run_id, canShrink: true },
  { heading: "job", cell: ({ job_name, pipeline_name }) => `${pipeline_name} / ${job_name}`, canShrink: true }
]

/** The columns of the list of tests that have run on other branches only. */
export const elsewhereColumns: ReadonlyArray<Table.Column<BranchTest>> = [
  { heading: "failed", cell: ({ failed }) => String(failed), isNumber: true },
  { heading: "passed", cell: ({ passed }) => String(passed), isNumber: true },
  { heading: "branches", cell: ({ branches }) => String(branches), isNumber: true },
  { heading: "last on", cell: ({ last_run }) => last_run.branch, canShrink: true },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]
