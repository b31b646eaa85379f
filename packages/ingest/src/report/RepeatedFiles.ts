/** Finds test files that a report lists several times without their projects. */
import * as Warnings from "../text/Warnings.ts"

/** Collects the files of one report. */
export interface RepeatedFiles {
  readonly add: (path: string) => void
  /** Adds a warning when a file was added twice, and yields whether it did. */
  readonly warn: (warnings: Warnings.Warnings) => boolean
}

/**
 * No files yet.
 *
 * **Details**
 *
 * Jest and Vitest list a file once for each project, in the order in which the projects end, and do not name the project. The
 * tests of such a file have equal names with ordinals, which change from run to run.
 */
export const make = (): RepeatedFiles => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  return {
    add: (path) => {
      if (seen.has(path)) repeated.add(path)
      seen.add(path)
    },
    warn: (warnings) => {
      const [first] = repeated
      if (first === undefined) return false
      const count = Warnings.counted(repeated.size, "file")
      warnings.add(
        `The report lists ${count} more than once (${Warnings.quoted(first)}) and names no project: the tests of different projects ` +
          "get the same names. Write a report for each project and upload it with a job name of its own."
      )
      return true
    }
  }
}
