/** Normalises the paths of test files. */

/**
 * The path of a file relative to the checkout, when the path alone shows the checkout folder.
 *
 * **Details**
 *
 * `file://`, a leading `./` and a trailing `:line` or `:line:column` are dropped, backslashes become slashes. The
 * folders in which well-known CI services check out are dropped, too. Every other absolute path stays whole, so that
 * two files never get the same path. A path is never compared with other paths of its report: names must not depend on
 * the rest of the report.
 */
export const relative = (written: string): string => {
  const plain = written
    .replace(/^file:\/\/(?=\/)/i, "")
    .replace(/(?=:)(?<=\.[A-Za-z]\w*)(?::\d+){1,2}$/, "")
    .replaceAll("\\", "/")
  if (!isAbsolute(plain)) return plain.replace(/^(?:\.\/)+/, "")
  for (const checkout of checkouts) {
    const cut = plain.replace(checkout, "")
    if (cut !== plain && cut !== "") return cut
  }
  return plain
}

/** Whether a path with slashes begins at the root of a file system. */
export const isAbsolute = (text: string): boolean => text.startsWith("/") || /^[A-Za-z]:\//.test(text)

/** A path relative to a folder; {@link relative} when it lies elsewhere. */
export const within = (written: string, folder: string): string => {
  const start = `${folder.replaceAll("\\", "/").replace(/\/$/, "")}/`
  const plain = written.replaceAll("\\", "/")
  return start !== "/" && plain.startsWith(start) ? plain.slice(start.length) : relative(written)
}

/** Whether a path ends like that of a script. */
export const hasScriptEnding = (written: string): boolean => endsLikeScript(written) && scriptEnding.test(written)

/**
 * Whether a text that may also be a title is the path of a script: vitest, jest, Playwright and others write one where
 * a class or a suite is expected. Such a path has no white space: `Untitled suite in agent.js` is not a path.
 */
export const isScript = (text: string): boolean => hasScriptEnding(text) && path.test(text)

/** Whether a text is the path of a source file in any language that has tests. */
export const isSource = (text: string): boolean => isScript(text) || (sourceEnding.test(text) && path.test(text))

const path = /^(?:[A-Za-z]:)?[^\s:*?"<>|]+$/

const scriptEnding = /\.(?:[cm]?[jt]sx?|vue|svelte)$/

const sourceEnding = /\.(?:py|rb|php|go|java|kts?|cs|swift|dart|exs?|feature)$/

/** Every script ends in one of these letters: a cheap test before the pattern, which few names match. */
const endsLikeScript = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last === 0x73 || last === 0x78 || last === 0x65
}

/** The checkout folders of CI services. */
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
