/** The pull requests of commits, as facts. */
import type { PullRef } from "@lazaret/domain"

/** A commit and the number of a pull request that it belongs to. */
export interface PullNumber {
  readonly commit: string
  readonly number: number
}

/** A commit and the merged pull request that brought it. */
export interface PullFact {
  readonly commit: string
  readonly pull: PullRef.PullRef
}
