/** Subjects and verdicts as people name them. */
import type { Operations } from "@lazaret/api"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"

export type Page = Operations["listCommitFailures"]["response"]

export type Failure = Page["failures"][number]

export type Verdict = Failure["verdict"]

/** The subject in a sentence: "commit 4f1c2a30", "run 812", "pull request #42". */
export const nameOf = ({ id, kind }: Places.Subject): string => {
  switch (kind) {
    case "commit":
      return `commit ${Format.commit(id)}`
    case "run":
      return `run ${id}`
    case "pull":
      return `pull request #${id}`
  }
}

/** Why a subject may be unknown, and what to do. */
export const unknown: { readonly [K in Places.Subject["kind"]]: string } = {
  commit:
    "No test results of this commit have been uploaded. They appear when its first job has uploaded a report. The " +
    "address needs the whole commit id.",
  run:
    "No test results of this run have been uploaded. They appear when its first job has uploaded a report. The id is the " +
    "one that the CI system gives the run, not the number that it shows.",
  pull:
    "No test results of this pull request have been uploaded. They appear when its first job has uploaded a report that " +
    "names the pull request, as uploads from GitHub Actions do. Without that, open the page of its commit."
}

/** The verdicts, what a developer has to act on first. */
export const verdicts: ReadonlyArray<readonly [Verdict, string]> = [
  ["new_failure", "new failure (probably this change)"],
  ["new_test", "new test that fails"],
  ["undecided", "undecided"],
  ["broken_on_base", "broken on the base branch"],
  ["outage", "outage of the environment"],
  ["flaky", "flaky"]
]

/** The next step of the person who looks at the failures, in one sentence; null without failures. */
export const adviceOf = ({ conclusion, counts }: Page): string | null => {
  const [first] = verdicts.find(([verdict]) => (counts[verdict] ?? 0) > 0) ?? [null]
  if (first === null) return null
  return conclusion === "success" ? "nothing for this change: none of them blocks it." : advice[first]
}

const advice: { readonly [V in Verdict]: string } = {
  new_failure: "look at the new failures first: they probably come from this change.",
  new_test: "look at the new tests first: they have not passed on the base branch yet.",
  undecided: "run the job again: a failure that passes then is flaky, one that stays is worth a look.",
  broken_on_base: "mend what is broken on the base branch first: this change did not break it.",
  outage: "mend the environment, and run the job again.",
  flaky: "run the job again: nothing points at this change."
}
