/** Paths of source files that are equal on every machine of a CI service. */

/** Where CI services check a repository out. What they match is cut off. */
const checkouts: ReadonlyArray<RegExp> = [
  // GitHub Actions, hosted and self-hosted; the folder of the repository stands twice.
  /^(?:.*\/_work|\/home\/runner\/work|\/Users\/runner\/work|\/__w|[A-Za-z]:\/a)\/([^/]+)\/\1\//,
  /^\/github\/workspace\//,
  // Azure Pipelines.
  /^(?:.*\/_work|\/home\/vsts\/work|\/Users\/runner\/work|\/__w|[A-Za-z]:\/a)\/\d+\/s\//,
  // GitLab, with the number of the runner and of the job in shell executors.
  /^(?:.*\/)?builds\/[\w-]{8,}\/\d+\/[^/]+\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  // Jenkins; parallel builds of one job have `@2` after its name.
  /^.*\/jenkins[^/]*\/(?:agent\/)?workspace\/[^/]+\//i,
  // CircleCI, Bitbucket, Travis, Drone and Woodpecker, Buildkite, Cloud Build and Dev Containers.
  /^\/(?:home\/circleci|root|Users\/distiller)\/project\//,
  /^\/opt\/atlassian\/pipelines\/agent\/build\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  /^\/(?:drone|woodpecker)\/src\//,
  /^\/var\/lib\/buildkite-agent\/builds\/[^/]+\/[^/]+\/[^/]+\//,
  /^\/workspaces?\/(?=[^/]+\/)/
]

/**
 * A path relative to the checkout where that can be seen, with `/` between its parts.
 *
 * **Details**
 *
 * Some reporters write absolute paths and not what they are relative to. The folders of well-known CI services are cut
 * off; every other absolute path is kept whole, so that two files are never taken for one.
 */
export const of = (path: string): string => {
  const slashed = path.replaceAll("\\", "/").replace(/^(?:file:\/\/(?=\/)|\.\/)/, "")
  for (const checkout of checkouts) {
    const cut = slashed.replace(checkout, "")
    if (cut !== slashed && cut !== "") return cut
  }
  return slashed
}

/** A path relative to a folder; {@link of} when it lies elsewhere. */
export const within = (path: string, folder: string): string => {
  const start = `${folder.replaceAll("\\", "/").replace(/\/$/, "")}/`
  const slashed = path.replaceAll("\\", "/")
  return start !== "/" && slashed.startsWith(start) ? slashed.slice(start.length) : of(path)
}
