/** The states of GitHub's checks in the words of the interface (interface 3.1). */
import { QueueCheck } from "@lazaret/queue"
import { Schema } from "effect"

/**
 * The state of a check that has ended with a conclusion of GitHub.
 *
 * **Details**
 *
 * The words are equal, except `startup_failure` and every unknown conclusion, which are errors.
 */
export const ofConclusion = (conclusion: string | null | undefined): QueueCheck.EndState =>
  isEndState(conclusion) ? conclusion : "error"

const isEndState = Schema.is(QueueCheck.EndState)

/** The state of a commit status; an unknown status is an error. */
export const ofStatus = (state: string): QueueCheck.State => (isState(state) ? state : "error")

const isState = Schema.is(Schema.Literals(["pending", "success", "failure", "error"]))
