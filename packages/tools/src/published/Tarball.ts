/** The rules on what a published package holds: its files and its manifest. */

/** A package as npm packs it: its manifest, and the paths of its files relative to the manifest. */
export interface Tarball {
  readonly manifest: Manifest
  readonly files: ReadonlyArray<string>
}

/** The fields of a manifest that the rules read. Every field may be missing: the rules say so. */
export interface Manifest {
  readonly name: string
  readonly description?: string
  readonly license?: string
  readonly keywords?: ReadonlyArray<string>
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly engines?: { readonly node?: string }
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
  readonly scripts?: Readonly<Record<string, string>>
  readonly exports?: Exports
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

type Exports = string | { readonly [condition: string]: Exports }

/** The origin that the rules compare with: the address of the repository, and the folder of the package in it. */
export interface Origin {
  readonly url: string
  readonly directory: string
}

/** The sentences for everything that a package lacks, or holds although it must not; empty when it can be published. */
export const problems = (tarball: Tarball, origin: Origin): ReadonlyArray<string> => [
  ...missingFiles(tarball).map((path) => `the tarball lacks ${path}`),
  ...tarball.files.filter((path) => isUnwanted.test(path)).map((path) => `the tarball holds ${path}`),
  ...missingFields(tarball.manifest, origin).map((field) => `package.json lacks ${field}`)
]

const isUnwanted = /(^|\/)(test|node_modules)\/|\.tsbuildinfo$|(^|\/)\.env|\.tgz$/

const missingFiles = ({ files, manifest }: Tarball): ReadonlyArray<string> => {
  const present = new Set(files)
  const targets = [...targetsOf(manifest.exports ?? {}), ...Object.values(manifest.bin ?? {})]
  const wanted = ["README.md", "LICENSE", ...targets.map((target) => target.replace(/^\.\//, ""))]
  return [...new Set(wanted)].filter((path) => !present.has(path))
}

const targetsOf = (exports: Exports): ReadonlyArray<string> =>
  typeof exports === "string" ? [exports] : Object.values(exports).flatMap(targetsOf)

const missingFields = (manifest: Manifest, { directory, url }: Origin): ReadonlyArray<string> => {
  const isThere: Readonly<Record<string, boolean>> = {
    description: Boolean(manifest.description),
    license: Boolean(manifest.license),
    keywords: (manifest.keywords ?? []).length > 0,
    exports: manifest.exports !== undefined,
    "engines.node": Boolean(manifest.engines?.node),
    [`repository ${url} with the directory ${directory}`]:
      manifest.repository?.url === url && manifest.repository.directory === directory,
    "publishConfig.access public": manifest.publishConfig?.access === "public",
    "publishConfig.provenance": manifest.publishConfig?.provenance === true,
    "a prepack script that builds it": Boolean(manifest.scripts?.["prepack"]),
    "a range of versions for its peer effect": /^(?!\d)/.test(manifest.peerDependencies?.["effect"] ?? "^")
  }
  return Object.keys(isThere).filter((field) => isThere[field] === false)
}
