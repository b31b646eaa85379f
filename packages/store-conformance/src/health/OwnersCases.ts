/** The law of uploaded CODEOWNERS. */
import { type OwnersFile, OwnersStore, RepositoryStore } from "@lazaret/store"
import { Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const file: OwnersFile = {
  text: "* @acme/web # \u{1f600}\n\n[Data]\n/db/ @acme/data\n",
  dialect: "gitlab",
  uploadedAt: Sample.noon,
  uploadedBy: "ada"
}

/** The cases of uploaded CODEOWNERS. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "OwnersStore",
    "an uploaded CODEOWNERS is kept as it is until another replaces it, or it is removed",
    function* (ref) {
      const store = yield* OwnersStore
      const other = yield* Case.repository
      yield* Law.equal(yield* store.get(ref), Option.none())
      yield* Law.equal(yield* store.remove(ref), false, "the removal of a file that is not there")
      yield* Law.equal(yield* RepositoryStore.use((all) => all.get(ref)), Option.none(), "a removal creates nothing")
      yield* store.put(ref, file)
      yield* store.put(other, { ...file, text: "" })
      yield* Law.equal(yield* store.get(ref), Option.some(file))
      yield* Law.equal(yield* store.get(other), Option.some({ ...file, text: "" }), "the file of another repository")
      const next: OwnersFile = { text: "* @root", dialect: "github", uploadedAt: Sample.noon + 1, uploadedBy: "ben" }
      yield* store.put(ref, next)
      yield* Law.equal(yield* store.get(ref), Option.some(next))
      yield* Law.equal(yield* store.remove(ref), true)
      yield* Law.equal(yield* store.get(ref), Option.none())
      yield* Law.equal(yield* store.get(other), Option.some({ ...file, text: "" }))
    }
  )
]
