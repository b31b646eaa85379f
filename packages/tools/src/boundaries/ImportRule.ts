/** The rules that one import in `packages/<folder>/src` can break. */
import { posix } from "node:path"
import { isRelative, type ModuleImport, packageOf } from "./ModuleImport.ts"
import * as Wall from "./Wall.ts"

/** An import together with the file that makes it. */
export interface Import extends ModuleImport {
  readonly folder: string
  readonly path: string
}

/** The sentences for every rule that an import of a source file breaks; none for a lawful import. */
export const broken = (each: Import): ReadonlyArray<string> => {
  const { folder, path, specifier } = each
  if (specifier === null) return computedSpecifier(folder)
  if (isRelative(specifier)) return leavesPackage(folder, path, specifier)
  return [
    ...unlawfulPackage(each, specifier),
    ...reservedModule(folder, specifier),
    ...(Wall.dataOnly.has(folder) ? notData(each, specifier) : [])
  ]
}

/** The sentence for a relative import that leaves its package, where every package boundary must be a package name. */
export const leavesPackage = (folder: string, path: string, specifier: string): ReadonlyArray<string> =>
  posix.join(posix.dirname(path), specifier).startsWith(`packages/${folder}/`)
    ? []
    : [`"${specifier}" leaves the package: import it by its package name`]

/** The tools alone load what they cannot name: the examples. */
const computedSpecifier = (folder: string): ReadonlyArray<string> =>
  folder === "tools" ? [] : ["a dynamic import must name its module literally, so that the walls can be checked"]

const unlawfulPackage = ({ folder, isDynamic }: Import, specifier: string): ReadonlyArray<string> => {
  const target = packageOf(specifier)
  if (target === null || !target.startsWith("@lazaret/")) return []
  const allowed = Wall.ours[folder]
  if (allowed === undefined) return [`${folder} has no row in the import table (packages/tools/src/boundaries/Wall.ts)`]
  const reached = isDynamic ? [...allowed, ...(Wall.loaded[folder] ?? [])] : allowed
  return reached.some((name) => `@lazaret/${name}` === target) ? [] : [`${folder} must not import ${target}`]
}

const reservedModule = (folder: string, specifier: string): ReadonlyArray<string> =>
  Wall.reserved
    .filter(({ module, to }) => isWithin(specifier, module) && !to.includes(folder))
    .map(({ module, to }) => `only ${to.join(", ")} may import ${module}`)

const isWithin = (specifier: string, module: string): boolean =>
  specifier === module || specifier.startsWith(`${module}/`)

const notData = (each: Import, specifier: string): ReadonlyArray<string> => {
  const { folder } = each
  if (Wall.pureLibraries.has(specifier) || specifier.startsWith("@lazaret/")) return []
  const names = effectModules(each, specifier)
  if (names === null) return [`${folder} must not import "${specifier}": it is pure and takes only Effect data modules`]
  const isTesting = each.path.startsWith(`packages/${folder}/src/testing/`)
  return names
    .filter((name) => !Wall.dataModules.has(name) && !(isTesting && Wall.testingModules.has(name)))
    .map((name) => `${folder} must not import ${name} from "${specifier}": it is not an Effect data module`)
}

/** The Effect modules that an import reaches, null when it does not import from the core of Effect. */
const effectModules = (each: Import, specifier: string): ReadonlyArray<string> | null => {
  if (specifier === "effect") return each.names
  const [, name, below] = /^effect\/([A-Z]\w*)(\/.*)?$/.exec(specifier) ?? []
  return name === undefined || below !== undefined ? null : [name]
}
