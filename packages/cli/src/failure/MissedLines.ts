/** Lines on tests that a run did not execute. */
import type { Schemas } from "@lazaret/api"
import * as Terminal from "../terminal/Terminal.ts"

/** The tests, or the jobs, that are missing (`Schemas.MissedTests`). */
export type Missed = (typeof Schemas.TriagePage.Type)["missing"][number]

/** The first names of the tests that a job did not execute; jobs that did not report have none. */
export const linesOf = ({
  job_names: [job = ""],
  kind,
  missing,
  pipeline_name: pipeline,
  renamed,
  test_names: names
}: Missed): ReadonlyArray<string> => {
  if (kind === "jobs") return []
  const more = missing - renamed - Math.min(shownNames, names.length)
  return [
    `did not run in ${Terminal.plain(pipeline)} · ${Terminal.plain(job)}:`,
    ...names.slice(0, shownNames).map((name) => `  ${Terminal.plain(name)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(renamed > 0
      ? [`  ${renamed} ${renamed === 1 ? "seems" : "seem"} to be renamed: lazaret tests renames lists them`]
      : [])
  ]
}

const shownNames = 5
