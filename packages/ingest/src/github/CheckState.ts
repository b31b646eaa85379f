/** The states of GitHub's checks in the words of the interface (interface 3.1). */
import { QueueCheck } from "@lazaret/domain"
import { Schema } from "effect"

/**
 * The state of a check that has ended with a conclusion of GitHub.
 *
 * **Details**
 *
 * The words are the same but for `startup_failure`, which is an error, as is every conclusion that is not known.
 */
export const ofConclusion = (conclusion: string | null | undefined): QueueCheck.EndState =>
  isEndState(conclusion) ? conclusion : "error"

const isEndState = Schema.is(QueueCheck.EndState)

/** The state of a commit status; one that is not known is an error. */
export const ofStatus = (state: string): QueueCheck.State => (isState(state) ? state : "error")

const isState = Schema.is(Schema.Literals(["pending", "success", "failure", "error"]))
