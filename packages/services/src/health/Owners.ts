/** The owners of the files of a repository, from its CODEOWNERS at the hosting platform, or from the uploaded one. */
import { CodeOwners, Ownership, Repository } from "@lazaret/domain"
import { OwnersStore, Slices, type StoreError } from "@lazaret/store"
import { Cache, Context, Effect, Layer, Option } from "effect"
import { HostingPlatform } from "../ports/HostingPlatform.ts"

/** The owners of files; a file without owners is absent. */
export type OwnersByFile = ReadonlyMap<string, ReadonlyArray<string>>

/**
 * The names under which tests of files are found (`Ownership.namesOf`), null being tests without a file; empty without a
 * CODEOWNERS.
 */
export type NamesByFile = ReadonlyMap<string | null, ReadonlyArray<string>>

/** The origin of the CODEOWNERS that counts. */
export type OwnersSource = "platform" | "uploaded"

/**
 * The owners of the files of a repository; `source` null: there is no CODEOWNERS. `rules` is the number of its rules, `isKnown`
 * is true for a file that `ownersOf` need not match.
 */
export interface OwnerRules {
  readonly source: OwnersSource | null
  readonly rules: number
  readonly isKnown: (file: string) => boolean
  readonly ownersOf: Ownership.OwnersOf
}

/** The dialect of the connected platform. */
export const OwnersDialect: Context.Reference<CodeOwners.Dialect> = Context.Reference<CodeOwners.Dialect>(
  "@lazaret/services/OwnersDialect",
  { defaultValue: () => "github" }
)

/**
 * Finds owners.
 *
 * **Details**
 *
 * The file on the default branch at the hosting platform counts: nobody can change it past a review. Where the platform shows none,
 * within three seconds, the uploaded file counts; without either, no file has owners. The file is read when an answer needs it, and
 * kept for five minutes.
 */
export class Owners extends Context.Service<
  Owners,
  {
    /** The rules of a repository. Each file is matched once, as long as they are kept. Use `ofFiles` for several files. */
    readonly rulesOf: (ref: Repository.RepositoryRef) => Effect.Effect<OwnerRules, StoreError>
    /** Reads the file again when the next answer needs it. */
    readonly forget: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** The owners of some files; other fibers run in between, the more often the more rules there are. */
    readonly ofFiles: (
      ref: Repository.RepositoryRef,
      files: ReadonlyArray<string | null>
    ) => Effect.Effect<OwnersByFile, StoreError>
    /** The names under which tests of some files are found. */
    readonly namesOf: (
      ref: Repository.RepositoryRef,
      files: ReadonlyArray<string | null>
    ) => Effect.Effect<NamesByFile, StoreError>
  }
>()("@lazaret/services/Owners") {
  /** The owners over the hosting platform. */
  static readonly layer = Layer.effect(
    Owners,
    Effect.gen(function* () {
      const platform = yield* HostingPlatform
      const dialect = yield* OwnersDialect
      const store = yield* OwnersStore

      const atPlatform = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        for (const path of CodeOwners.paths[dialect]) {
          const text = yield* platform.file(ref, path)
          if (Option.isSome(text)) return text
        }
        return Option.none<string>()
      })

      const read = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const text = yield* Effect.timeoutOrElse(atPlatform(ref), {
          duration: "3 seconds",
          orElse: () => Effect.succeedNone
        })
        if (Option.isSome(text)) return rulesOver(CodeOwners.parse(text.value, dialect), "platform")
        const uploaded = yield* store.get(ref)
        return Option.match(uploaded, {
          onNone: () => noRules,
          onSome: (file) => rulesOver(CodeOwners.parse(file.text, file.dialect), "uploaded")
        })
      })

      const kept = yield* Cache.make({
        capacity: 200,
        timeToLive: "5 minutes",
        lookup: (key: string) => {
          const [owner = "", repository = ""] = key.split("/")
          return read({ owner, repository })
        }
      })

      const rulesOf = (ref: Repository.RepositoryRef) => Cache.get(kept, Repository.key(ref))

      const ofFiles = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, files: ReadonlyArray<string | null>) {
        const named = [...new Set(files.filter((file) => file !== null))]
        if (named.length === 0) return new Map<string, ReadonlyArray<string>>()
        const { isKnown, ownersOf, rules } = yield* rulesOf(ref)
        const owners = new Map<string, ReadonlyArray<string>>()
        const weightOf = (file: string) => fileWeight + (isKnown(file) ? 0 : rules)
        for (const slice of Slices.byWeight(named, weightOf, mostWeight)) {
          for (const file of slice) {
            const found = ownersOf(file)
            if (found.length > 0) owners.set(file, found)
          }
          yield* Effect.yieldNow
        }
        return owners
      })

      const namesOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, files: ReadonlyArray<string | null>) {
        const names = new Map<string | null, ReadonlyArray<string>>()
        if (files.length === 0 || (yield* rulesOf(ref)).source === null) return names
        const owners = yield* ofFiles(ref, files)
        for (const file of files) names.set(file, Ownership.namesOf(file, owners.get(file ?? "") ?? []))
        return names
      })

      return Owners.of({ rulesOf, forget: (ref) => Cache.invalidate(kept, Repository.key(ref)), ofFiles, namesOf })
    })
  )
}

const noRules: OwnerRules = { source: null, rules: 0, isKnown: () => true, ownersOf: () => [] }

/** A file is matched against thousands of patterns: the lists of a large repository ask for the same files again and again. */
const rulesOver = (rules: CodeOwners.CodeOwners, source: OwnersSource): OwnerRules => {
  const known = new Map<string, ReadonlyArray<string>>()
  const ownersOf = (file: string): ReadonlyArray<string> => {
    const held = known.get(file)
    if (held !== undefined) return held
    if (known.size >= mostFiles) known.clear()
    const found = CodeOwners.ownersOf(rules, file)
    known.set(file, found)
    return found
  }
  return { source, rules: CodeOwners.count(rules), isKnown: (file) => known.has(file), ownersOf }
}

/** The most files of a repository whose owners are kept. */
const mostFiles = 100_000

/** The weight of a file for itself, in rules: up to 256 files are looked up before other fibers run. */
const fileWeight = 80

/** The most pairs of file and rule that are matched before other fibers run: usually a millisecond. */
const mostWeight = 20_480
