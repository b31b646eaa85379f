/** The connection to GitLab that the settings describe. */
import { type GitLabClient, GitLabGroups } from "@lazaret/forge-gitlab"
import type { Values } from "./Table.ts"

/** The connection; null without an address and a token. */
export const of = ({
  gitLabGroups,
  gitLabStatus,
  gitLabToken,
  gitLabUrl
}: Pick<Values, Part>): GitLabClient.Connection | null =>
  gitLabUrl === null && gitLabToken === null
    ? null
    : {
        url: gitLabUrl ?? "https://gitlab.com",
        token: gitLabToken,
        groups: gitLabGroups ?? GitLabGroups.none,
        statuses: gitLabStatus === "on",
        pause: "1 second"
      }

/** The settings that a connection is made from. */
export type Part = "gitLabUrl" | "gitLabToken" | "gitLabGroups" | "gitLabStatus"
