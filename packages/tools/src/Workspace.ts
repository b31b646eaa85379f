/** The workspace as files: where it is, which packages it has, and what they declare. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder that holds the workspace, without a trailing slash. */
export const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "")

/** A file of the workspace: its path relative to the root, with `/`, and its text. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The fields of a `package.json` that the checks read. */
export interface Manifest {
  readonly name: string
  readonly description?: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A package: its folder name, its manifest and its source files. */
export interface Package {
  readonly folder: string
  readonly manifest: Manifest
  readonly sources: ReadonlyArray<TextFile>
  readonly tests: ReadonlyArray<TextFile>
  /** Sources that are bundled into files for a browser. Users of the package do not import them. */
  readonly bundled: ReadonlyArray<TextFile>
}

/** The files that match any of the globs, in the order of their paths. */
export const files = (globs: ReadonlyArray<string>): ReadonlyArray<TextFile> =>
  globSync(globs, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** The manifest in a folder of the workspace. */
export const manifest = (folder: string): Manifest =>
  // The checks read only the fields of Manifest, and npm refuses a manifest in which they have another shape.
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest

/** Every package of the workspace, in the order of its folder names. */
export const packages = (): ReadonlyArray<Package> =>
  globSync("packages/*", { cwd: root })
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .sort()
    .map((folder) => ({
      folder: folder.slice("packages/".length),
      manifest: manifest(folder),
      sources: files([`${folder}/src/**/*.ts`, `${folder}/bin/**/*.{js,ts}`]),
      tests: files([`${folder}/test/**/*.ts`]),
      bundled: files([`${folder}/app/**/*.{ts,tsx}`])
    }))
