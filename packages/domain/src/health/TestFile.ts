/** The files of tests: how many tests of which health each file has (beyond the interface). */
import type * as HealthStatus from "./HealthStatus.ts"
import type * as TestList from "./TestList.ts"

/** Numbers of identities: by health, and how many of them are in quarantine. */
export interface Counts {
  readonly healthy: number
  readonly flaky: number
  readonly broken: number
  readonly quarantined: number
}

/** The identities of one file; `file` null stands for those whose reports name none. */
export interface FileCounts extends Counts {
  readonly file: string | null
}

/** Counts the items of each file, in any order; `quarantined` holds the names of the tests in quarantine. */
export const count = <A>(
  items: Iterable<A>,
  columns: Pick<TestList.Columns<A>, "file" | "healthStatus" | "testName">,
  quarantined: ReadonlySet<string>
): ReadonlyArray<FileCounts> => {
  const counts = new Map<string | null, Mutable>()
  // Neighbouring items mostly have the same file, which is then not looked up.
  let held: Mutable | undefined
  for (const item of items) {
    const file = columns.file(item)
    if (held?.file !== file) {
      held = counts.get(file)
      if (held === undefined) counts.set(file, (held = { file, healthy: 0, flaky: 0, broken: 0, quarantined: 0 }))
    }
    held[columns.healthStatus(item)] += 1
    if (quarantined.size > 0 && quarantined.has(columns.testName(item))) held.quarantined += 1
  }
  return [...counts.values()]
}

type Mutable = { file: string | null } & { [K in HealthStatus.HealthStatus | "quarantined"]: number }
