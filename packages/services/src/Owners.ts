/** The owners of the files of a repository, from its CODEOWNERS at the hosting platform. */
import { CodeOwners, type Ownership, Repository } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Cache, Context, Effect, Layer, Option } from "effect"
import { HostingPlatform } from "./HostingPlatform.ts"

/** The owners of files; a file without owners is absent. */
export type OwnersByFile = ReadonlyMap<string, ReadonlyArray<string>>

/** The owners of the files of a repository; `isKnown` says whether there is a CODEOWNERS. */
export interface OwnerRules {
  readonly isKnown: boolean
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
 * The file on the default branch counts. It is read when an answer needs it, kept for five minutes, and waited for at most three
 * seconds: without it, no file has owners.
 */
export class Owners extends Context.Service<
  Owners,
  {
    /** The rules of a repository. Each file is matched once, as long as they are kept. */
    readonly rulesOf: (ref: Repository.RepositoryRef) => Effect.Effect<OwnerRules>
    /** The owners of some files. */
    readonly ofFiles: (
      ref: Repository.RepositoryRef,
      files: ReadonlyArray<string | null>
    ) => Effect.Effect<OwnersByFile>
  }
>()("@lazaret/services/Owners") {
  /** The owners over the hosting platform. */
  static readonly layer = Layer.effect(
    Owners,
    Effect.gen(function* () {
      const platform = yield* HostingPlatform
      const dialect = yield* OwnersDialect

      const read = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        for (const path of CodeOwners.paths[dialect]) {
          const text = yield* platform.file(ref, path)
          if (Option.isSome(text)) return rulesOver(CodeOwners.parse(text.value, dialect))
        }
        return noRules
      })

      const kept = yield* Cache.make({
        capacity: 200,
        timeToLive: "5 minutes",
        lookup: (key: string) => {
          const [owner = "", repository = ""] = key.split("/")
          return Effect.timeoutOrElse(read({ owner, repository }), {
            duration: "3 seconds",
            orElse: () => Effect.succeed(noRules)
          })
        }
      })

      const rulesOf = (ref: Repository.RepositoryRef) => Cache.get(kept, Repository.key(ref))

      const ofFiles = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, files: ReadonlyArray<string | null>) {
        const named = [...new Set(files.filter((file) => file !== null))]
        if (named.length === 0) return new Map<string, ReadonlyArray<string>>()
        const { ownersOf } = yield* rulesOf(ref)
        const owners = new Map<string, ReadonlyArray<string>>()
        yield* Slices.visit(named, filesAtOnce, (file) => {
          const found = ownersOf(file)
          if (found.length > 0) owners.set(file, found)
        })
        return owners
      })

      return Owners.of({ rulesOf, ofFiles })
    })
  )
}

const noRules: OwnerRules = { isKnown: false, ownersOf: () => [] }

/** A file is matched against thousands of patterns: the lists of a large repository ask for the same files again and again. */
const rulesOver = (rules: CodeOwners.CodeOwners): OwnerRules => {
  const known = new Map<string, ReadonlyArray<string>>()
  const ownersOf = (file: string): ReadonlyArray<string> => {
    const held = known.get(file)
    if (held !== undefined) return held
    if (known.size >= mostFiles) known.clear()
    const found = CodeOwners.ownersOf(rules, file)
    known.set(file, found)
    return found
  }
  return { isKnown: true, ownersOf }
}

/** The most files of a repository whose owners are kept. */
const mostFiles = 100_000

/** The number of files that are matched before other fibers run. */
const filesAtOnce = 256
