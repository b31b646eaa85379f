/** The rules of the facts on a job run: what a store selects follows from them in the same way, whatever the engine. */
import { JobRecord, Outage, TestSet, Text, UnloadedFiles } from "@lazaret/domain"

/** The most frequent of some signatures with their counts, ties in code-point order. */
export const frequent = (counts: Iterable<readonly [signature: string, count: number]>): ReadonlyArray<string> =>
  [...counts]
    .sort(([a, many], [b, few]) => few - many || Text.compare(a, b))
    .slice(0, JobRecord.bounds.signatures)
    .map(([signature]) => signature)

/** A job run next to its reference; `lacking` are the tests that ran there and not in it, none without a reference. */
export interface Compared extends Pick<JobRecord.JobRunFacts, "judgement" | "missing"> {
  readonly lacking: TestSet.TestSet
}

/** A job run that no report has brought yet. */
export const unknown: Compared = { judgement: null, missing: null, lacking: TestSet.empty }

/**
 * A job run next to its reference, which is that of the state of its job before it (`Outage.step`).
 *
 * **Details**
 *
 * `stored` is the judgement on a run of the default branch; a run of another branch is compared in the same way, and never excused.
 */
export const compared = <Commit>(
  before: Outage.State<Commit>,
  run: Outage.Run<Commit>,
  { policy, stored }: { readonly policy: Outage.OutagePolicy; readonly stored: Outage.Judgement | null }
): Compared => {
  const { judgement, state } = Outage.step(before, run, policy)
  const { excused, hit, outage, passedBefore } = stored ?? { ...judgement, excused: false }
  const reference = state.references.find(({ commit }) => commit !== run.commit)
  const lacking = reference === undefined ? TestSet.empty : TestSet.without(reference.ran, ranIn(run))
  return {
    judgement: { isOutage: outage, isExcused: excused, hit, passedBefore },
    missing: reference === undefined ? null : TestSet.size(lacking),
    lacking
  }
}

/** Whether the files of a job run are compared: it lacks some tests of its reference, and not most of a large suite. */
export const mayLackFiles = ({ missing }: Compared): boolean =>
  missing !== null && missing > 0 && missing <= UnloadedFiles.bounds.missing

/** The tests that passed or failed in a run. */
export const ranIn = ({ failed, passed }: Pick<Outage.Run, "failed" | "passed">): TestSet.TestSet =>
  TestSet.union(passed, failed)
