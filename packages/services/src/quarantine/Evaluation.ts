/** One evaluation of a repository by the automation. */
import type { Instant, Quarantine, Repository } from "@lazaret/domain"
import type { ExecutionStore, QuarantineStore, StressStore, TestStore } from "@lazaret/store"
import type { Effect } from "effect"
import type { ChangeNotice } from "../ports/CommitNotice.ts"

/** The ports that an evaluation reads and writes. */
export interface Ports {
  readonly tests: TestStore["Service"]
  readonly executions: ExecutionStore["Service"]
  readonly quarantines: QuarantineStore["Service"]
  readonly stress: StressStore["Service"]
  readonly newId: Effect.Effect<string>
  readonly changed: ChangeNotice
}

/** An evaluation of a repository: its settings, the instant, and the tests that it is about. */
export interface Evaluation {
  readonly ref: Repository.RepositoryRef
  readonly settings: Repository.RepositorySettings
  readonly policies: Repository.Policies
  readonly now: Instant.Instant
  readonly isSelected: (testName: string) => boolean
  /** The active quarantines of the automation. */
  readonly automatic: ReadonlyArray<Quarantine.Quarantine>
}
