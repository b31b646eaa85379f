/** Failures of real histories, in the form of generated ones. */
import { join } from "node:path"
import * as History from "../failures/History.ts"
import * as Online from "../failures/Online.ts"
import { replay } from "../failures/Replay.ts"
import type { Judged } from "./Judged.ts"

/** A real history, and the first day of its failures that are measured. */
export interface Held {
  readonly name: string
  readonly folder: string
  readonly from: string
}

/** The histories of a folder: its own, and those in folders of it. */
export const histories = (folder: string): ReadonlyArray<Held> => [
  { name: "dask/distributed from 2024", folder, from: "2024-01-01" },
  { name: "Apache Ozone", folder: join(folder, "ozone"), from: "2019" }
]

/** The failures at first sight of a history with a known outcome; null where the folder has none. */
export const judged = async ({ folder, from }: Held): Promise<ReadonlyArray<Judged> | null> => {
  const runs = History.read(folder)
  if (runs === null) return null
  const failures = Online.judge(await replay(runs))
  return failures
    .filter(({ at, isFirstSight, truth }) => isFirstSight && truth !== null && at >= from)
    .map((failure) => judgedOf(failure))
}

const judgedOf = ({ commit, facts, truth, verdict }: Online.JudgedFailure): Judged => ({
  unit: commit,
  commit,
  stage: "first",
  row: truth === "flaky" ? "passed" : "persistent",
  isOnMain: true,
  passesAgain: truth === "flaky",
  weight: 1,
  runs: 0,
  facts,
  verdict
})
