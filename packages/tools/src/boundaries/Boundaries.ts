/** The check of the walls between packages, on imports and on manifests. */
import type { Manifest, Package, TextFile } from "../Workspace.ts"
import * as Clock from "./Clock.ts"
import * as ErrorDocs from "./ErrorDocs.ts"
import * as ImportRule from "./ImportRule.ts"
import * as ManifestRule from "./ManifestRule.ts"
import * as ModuleImport from "./ModuleImport.ts"
import * as Room from "./Room.ts"
import type { Violation } from "./Violation.ts"
import * as Wall from "./Wall.ts"

/** Every broken rule of a workspace, package by package; none when the walls stand. */
export const violations = (packages: ReadonlyArray<Package>, rootManifest: Manifest): ReadonlyArray<Violation> =>
  packages.flatMap((each) => {
    const sources = each.sources.map((file) => importsOf(each.folder, file))
    const tests = each.tests.map((file) => importsOf(each.folder, file))
    return [
      ...ofManifest(each, rootManifest, namesOf(sources.flat()), namesOf(tests.flat())),
      ...sources
        .flat()
        .flatMap((one) => [...ImportRule.broken(one), ...Room.broken(one)].map((message) => at(one, message))),
      ...tests.flat().flatMap(ofTestImport),
      ...each.bundled.flatMap((file) => ofBundled(each, importsOf(each.folder, file))),
      ...each.sources.flatMap(ErrorDocs.missing),
      ...(Wall.pure.has(each.folder) ? each.sources.flatMap(Clock.readings) : [])
    ]
  })

const importsOf = (folder: string, file: TextFile): ReadonlyArray<ImportRule.Import> =>
  ModuleImport.ofFile(file).map((each) => ({ ...each, folder, path: file.path }))

const namesOf = (imports: ReadonlyArray<ImportRule.Import>): ReadonlySet<string> =>
  new Set(imports.flatMap(({ specifier }) => (specifier === null ? [] : (ModuleImport.packageOf(specifier) ?? []))))

const at = ({ line, path }: ImportRule.Import, message: string): Violation => ({ path, line, message })

/** The packages that a browser loads: development dependencies are bundled, and of ours there are types only. */
const ofBundled = (
  { folder, manifest }: Package,
  imports: ReadonlyArray<ImportRule.Import>
): ReadonlyArray<Violation> =>
  imports.flatMap((each) => {
    if (each.specifier === null || ModuleImport.isRelative(each.specifier)) return ofTestImport(each)
    const name = ModuleImport.packageOf(each.specifier)
    if (name === null) return [at(each, `"${each.specifier}" is not there in a browser`)]
    const isDeclared = manifest.devDependencies?.[name] !== undefined
    const isLawful = !name.startsWith("@lazaret/") || (each.isType && Wall.typesOfBundled.has(name))
    return [
      ...(isDeclared ? [] : [at(each, `imports ${name} without declaring it`)]),
      ...(isLawful ? [] : [at(each, `${folder} must import no more than types, and only of api: not ${name}`)])
    ]
  })

const ofTestImport = (each: ImportRule.Import): ReadonlyArray<Violation> =>
  each.specifier === null || !ModuleImport.isRelative(each.specifier)
    ? []
    : ImportRule.leavesPackage(each.folder, each.path, each.specifier).map((message) => at(each, message))

const ofManifest = (
  { folder, manifest }: Package,
  rootManifest: Manifest,
  inSources: ReadonlySet<string>,
  inTests: ReadonlySet<string>
): ReadonlyArray<Violation> => {
  const missingRow = Wall.ours[folder] === undefined ? [`${folder} has no row in the import table`] : []
  return [
    ...missingRow,
    ...ManifestRule.undeclared(manifest, inSources),
    ...ManifestRule.undeclaredInTests(manifest, rootManifest, inTests),
    // A private package is never installed: it exists for its tests.
    ...ManifestRule.unused(manifest, new Set([...inSources, ...(manifest.private === true ? inTests : [])])),
    ...ManifestRule.unlawful(folder, manifest)
  ].map((message) => ({ path: `packages/${folder}/package.json`, line: 1, message }))
}
