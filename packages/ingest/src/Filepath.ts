/** Paths of test files as reporters write them. */

/**
 * The path of a file within its repository, as far as the path alone says where the repository begins.
 *
 * **Details**
 *
 * - `file://`, a leading `./` and a trailing `:line` or `:line:column` are dropped, backslashes become slashes.
 * - The working directory of the well-known CI systems is dropped: GitHub Actions (`/home/runner/work/r/r/`, self-hosted
 *   `_work/r/r/`, containers `/__w/r/r/` and `/github/workspace/`), GitLab (`/builds/`, which leaves the group and the
 *   project, because groups nest), CircleCI, Azure Pipelines, Travis CI, Bitbucket, Drone, Buildkite and Jenkins.
 * - Any other absolute path stays as it is: cutting it would make two files one.
 *
 * A path is never compared with other paths of its report: names must not depend on what else a report holds.
 */
export const relative = (written: string): string => {
  const plain = written
    .replace(/^file:\/\/(?=\/)/i, "")
    .replace(/(?<=\.[A-Za-z]\w*)(?::\d+){1,2}$/, "")
    .replaceAll("\\", "/")
  if (!isAbsolute(plain)) return plain.replace(/^(?:\.\/)+/, "")
  const root = workspaces.find((each) => each.test(plain))
  return (root === undefined ? plain : plain.replace(root, "")) || plain
}

/** Whether a path ends like that of a script. */
export const hasScriptEnding = (written: string): boolean => endsLikeScript(written) && scriptEnding.test(written)

/**
 * Whether a text that may also be a title is the path of a script: vitest, jest, Playwright and others write one where a
 * class or a suite is expected. A path has no white space then, so that `Untitled suite in agent.js` is none.
 */
export const isScript = (text: string): boolean => hasScriptEnding(text) && path.test(text)

/** Whether a text is the path of a source file in any language that has tests. */
export const isSource = (text: string): boolean => isScript(text) || (sourceEnding.test(text) && path.test(text))

const isAbsolute = (text: string): boolean => text.startsWith("/") || /^[A-Za-z]:\//.test(text)

const path = /^(?:[A-Za-z]:)?[^\s:*?"<>|]+$/

const scriptEnding = /\.(?:[cm]?[jt]sx?|vue|svelte)$/

const sourceEnding = /\.(?:py|rb|php|go|java|kts?|cs|swift|dart|exs?|feature)$/

/** Every script ends in one of these letters: cheaper to test than the pattern, which most names never match. */
const endsLikeScript = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last === 0x73 || last === 0x78 || last === 0x65
}

const workspaces: ReadonlyArray<RegExp> = [
  /^(?:\/home\/runner|\/Users\/runner|\/opt\/hostedtoolcache)\/work\/[^/]+\/[^/]+\//,
  /^[A-Za-z]:\/a\/[^/]+\/[^/]+\//,
  /^\/__w\/[^/]+\/[^/]+\//,
  /^\/github\/workspace\//,
  /^.*?\/_work\/[^/]+\/[^/]+\//,
  /^\/builds\/(?:[\w-]{8,9}\/\d+\/)?(?=[^/]+\/[^/]+\/)/,
  /^\/(?:home|Users)\/(?:circleci|distiller)\/(?:project|repo)\//,
  /^\/root\/project\//,
  /^\/home\/vsts\/work\/\d+\/s\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  /^\/opt\/atlassian\/pipelines\/agent\/build\//,
  /^\/drone\/src\//,
  /^\/(?:var\/lib\/buildkite-agent|buildkite)\/builds\/[^/]+\/[^/]+\/[^/]+\//,
  /^\/(?:var\/lib\/jenkins|var\/jenkins_home|home\/jenkins(?:\/agent)?)\/workspace\/[^/]+\//
]
