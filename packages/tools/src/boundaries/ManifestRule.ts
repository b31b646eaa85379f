/** The rules on a package's manifest: what is imported is declared, and what is declared is imported and lawful. */
import type { Manifest } from "../Workspace.ts"
import * as Wall from "./Wall.ts"

/** The sentences for every imported package that the manifest does not declare for those who install it. */
export const undeclared = (manifest: Manifest, used: ReadonlySet<string>): ReadonlyArray<string> => {
  const declared = new Set([...shipped(manifest), ...Object.keys(manifest.optionalDependencies ?? {}), manifest.name])
  return [...used].filter((name) => !declared.has(name)).map((name) => `imports ${name} without declaring it`)
}

/** The sentences for every package that tests import and neither the package nor the workspace root declares. */
export const undeclaredInTests = (
  manifest: Manifest,
  rootManifest: Manifest,
  used: ReadonlySet<string>
): ReadonlyArray<string> => {
  const declared = new Set([
    ...Object.keys(manifest.devDependencies ?? {}),
    ...Object.keys(rootManifest.devDependencies ?? {})
  ])
  const rest = new Set([...used].filter((name) => !declared.has(name)))
  return undeclared(manifest, rest).map((sentence) => `a test ${sentence}`)
}

/**
 * The sentences for every declared dependency that no source imports.
 *
 * **Details**
 *
 * Optional dependencies are exempt: they are platform binaries that are found at run time.
 */
export const unused = (manifest: Manifest, used: ReadonlySet<string>): ReadonlyArray<string> =>
  shipped(manifest)
    .filter((name) => !used.has(name))
    .map((name) => `declares ${name} without importing it`)

/** The sentences for every declared dependency of ours, of any kind but development, that the import table refuses. */
export const unlawful = (folder: string, manifest: Manifest): ReadonlyArray<string> => {
  const optionalPeers = Object.keys(manifest.peerDependenciesMeta ?? {})
  const loaded = (Wall.loaded[folder] ?? []).filter((name) => optionalPeers.includes(`@lazaret/${name}`))
  const allowed = [...(Wall.ours[folder] ?? []), ...loaded]
  return [...shipped(manifest), ...Object.keys(manifest.optionalDependencies ?? {})]
    .filter((name) => name.startsWith("@lazaret/") && !allowed.some((each) => `@lazaret/${each}` === name))
    .map((name) => `must not depend on ${name}`)
}

/** The dependencies that are installed with the package. A private package is never installed by others, so its development dependencies count. */
const shipped = (manifest: Manifest): ReadonlyArray<string> => [
  ...Object.keys(manifest.dependencies ?? {}),
  ...Object.keys(manifest.peerDependencies ?? {}),
  ...(manifest.private === true ? Object.keys(manifest.devDependencies ?? {}) : [])
]
