/**
 * The merge groups of GitHub's merge queue.
 *
 * For every queued pull request GitHub makes a branch with the base branch, the pull requests ahead and the pull
 * request itself, and runs the checks there. The branch names both: `gh-readonly-queue/{base
 * branch}/pr-{number}-{commit}`. An event with the branch of a check (`check_run`, `check_suite`, `status`) therefore
 * identifies its pull request, and no state is kept between deliveries.
 */
import { Text } from "@lazaret/domain"
import { PullRequestNumber } from "@lazaret/queue"
import { Option, Schema } from "effect"

/** The parts of the branch name of a merge group. */
export interface MergeGroup {
  readonly branch: string
  readonly pullRequest: number
}

/**
 * The merge group of a branch, given with or without `refs/heads/`; none when no merge queue has made it.
 *
 * **Details**
 *
 * The base branch may hold slashes. A number that cannot be read exactly makes no merge group.
 */
export const ofRef = (ref: string | null | undefined): Option.Option<MergeGroup> => {
  const [, branch = "", number = ""] = pattern.exec(ref ?? "") ?? []
  const group = { branch, pullRequest: Number(number) }
  return isMergeGroup(group) ? Option.some(group) : Option.none()
}

const pattern = /^(?:refs\/heads\/)?gh-readonly-queue\/(.+)\/pr-(\d+)-[0-9a-f]+$/su

const isMergeGroup = Schema.is(
  Schema.Struct({ branch: Text.between(1, 255), pullRequest: PullRequestNumber.PullRequestNumber })
)
