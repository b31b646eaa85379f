/** The law of pins. Pins belong to no repository: cases know theirs by an issuer of their own. */
import type { OriginPin } from "@lazaret/domain"
import { PinStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const pin = (id: string, parts: Partial<OriginPin.OriginPin> = {}): OriginPin.OriginPin => ({
  id,
  issuer: `https://issuer.test/${id}`,
  owner: "Acme",
  repository: null,
  platformId: "1",
  createdAt: Sample.noon,
  ...parts
})

/** The cases of pins. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("PinStore", "a pin comes back with every field, until it is removed", function* () {
    const store = yield* PinStore
    const { a, b } = yield* Sample.ids("a", "b")
    const owner = pin(a)
    const repository = pin(b, { issuer: owner.issuer, repository: "Widgets.\u{1f600}", createdAt: Sample.noon - 1 })
    yield* Law.equal(yield* store.confirm([owner, repository]), Option.none())
    const listed = Effect.map(store.list, (pins) => pins.filter(({ issuer }) => issuer === owner.issuer))
    yield* Law.equal(yield* listed, [repository, owner], "the list")
    yield* Law.equal(yield* store.remove(a), true, "the removal")
    yield* Law.equal(yield* store.remove(a), false, "the second removal")
    yield* Law.equal(yield* listed, [repository], "the list after the removal")
  }),

  Case.make("PinStore", "a name in any case keeps its number, and a contradiction stores no pin", function* () {
    const store = yield* PinStore
    const { a, b, c, d } = yield* Sample.ids("a", "b", "c", "d")
    const owner = pin(a)
    const { issuer } = owner
    yield* store.confirm([owner])
    const other = pin(b, { issuer, owner: "ACME", platformId: "2" })
    const repository = pin(c, { issuer, repository: "widgets", platformId: "7" })
    yield* Law.equal(yield* store.confirm([repository, other]), Option.some(owner), "the contradiction")
    const same = pin(d, { issuer, owner: "acme" })
    yield* Law.equal(yield* store.confirm([same, repository]), Option.none(), "the same number")
    const listed = (yield* store.list).filter((each) => each.issuer === issuer)
    yield* Law.equal(listed.length, 2, "the number of pins")
    yield* Law.equal(
      yield* store.confirm([pin(d, { ...same, issuer: `${issuer}/other`, platformId: "2" })]),
      Option.none(),
      "another issuer"
    )
  }),

  Case.make("PinStore", "of concurrent pins with one name and several numbers the first decides", function* () {
    const store = yield* PinStore
    const ids = yield* Sample.ids("a", "b", "c")
    const pins = Object.values(ids).map((id, index) => pin(id, { issuer: pin(ids.a).issuer, platformId: `${index}` }))
    const answers = yield* Effect.all(
      pins.map((each) => store.confirm([each])),
      { concurrency: 3 }
    )
    const [kept, ...others] = (yield* store.list).filter(({ issuer }) => issuer === pin(ids.a).issuer)
    yield* Law.equal(others, [], "further pins")
    yield* Law.equal(
      answers,
      pins.map((each) => (each.id === kept?.id ? Option.none() : Option.some(kept))),
      "the answers"
    )
  })
]
