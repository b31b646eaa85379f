/** The sign before the number of a pull request: `#`, or `!` at GitLab. */
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"

/** The sign. */
export type Sign = "#" | "!"

/** The sign at the platform of a repository; `#` before that is known. */
export const useSign = (repository: Places.Repository): Sign => {
  const found = useResource(Routes.queueEngines(repository))
  return found.status === "ready" ? found.answer.body.pull_sign : "#"
}

/** The numbers of pull requests in a line. */
export const listed = (sign: Sign, pulls: ReadonlyArray<number>): string =>
  pulls.map((number) => `${sign}${number}`).join(", ")
