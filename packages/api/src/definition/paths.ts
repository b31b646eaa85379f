/** The path prefixes that several operations share. */

/** The path of a repository (interface 4.1). */
export const repositoryPath = "/v1/ci/:owner/repositories/:repository"

/** The path of the merge queues of a repository (interface 4.2). */
export const queuePath = "/v1/repos/:owner/:repository"
