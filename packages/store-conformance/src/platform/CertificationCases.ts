/** The law of certifications. */
import { PlatformCertification } from "@lazaret/domain"
import { CertificationStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

type Certification = PlatformCertification.PlatformCertification

const begun = (id: string, minute: number, parts: Partial<Certification> = {}): Certification => ({
  host: "github.com",
  id,
  scratch: "acme/scratch",
  startedBy: "ana",
  startedAt: Sample.atMinute(minute),
  beatAt: Sample.atMinute(minute),
  endedAt: null,
  total: 2,
  cases: [],
  failure: null,
  ...parts
})

const patience = PlatformCertification.patience / 60_000

/** The cases of certifications. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "CertificationStore",
    "one certification of a host runs at a time, until it ends or is silent",
    function* (ref) {
      const store = yield* CertificationStore
      yield* Law.equal(yield* store.begin(ref, begun("a", 0)), Option.none())
      yield* Law.equal(yield* store.latest(ref), Option.none(), "a repository that does not exist")
      yield* Upload.one(ref, "r", {}, [{}])
      yield* Law.equal(yield* store.begin(ref, begun("a", 0)), Option.none(), "the first one")
      yield* Law.equal(yield* store.begin(ref, begun("b", 1)), Option.some(begun("a", 0)), "a second one")
      yield* Law.equal(yield* store.latest(ref), Option.some(begun("a", 0)))
      const other = begun("c", 1, { host: "forge.example" })
      yield* Law.equal(yield* store.begin(ref, other), Option.none(), "one of another host")
      yield* Law.equal(yield* store.latest(ref), Option.some(other), "the latest of all hosts")
      const ended = begun("a", 0, { endedAt: Sample.atMinute(2), beatAt: Sample.atMinute(2), failure: "stopped" })
      yield* Law.equal(yield* store.update(ref, ended), true)
      yield* Law.equal(yield* store.begin(ref, begun("d", 2)), Option.none(), "after the first has ended")
      yield* Law.equal(
        yield* store.begin(ref, begun("e", 2 + patience)),
        Option.none(),
        "after it was silent for too long"
      )
      const many = Array.from({ length: 4 }, (_, index) => store.begin(ref, begun(`f${index}`, 30)))
      const found = yield* Effect.all(many, { concurrency: "unbounded" })
      yield* Law.equal(found.filter(Option.isNone).length, 1, "of several at the same time")
    }
  ),

  Case.make(
    "CertificationStore",
    "a certification is updated until it ends, and not after another one began",
    function* (ref) {
      const store = yield* CertificationStore
      yield* Upload.one(ref, "r", {}, [{}])
      yield* store.begin(ref, begun("a", 0))
      const first = begun("a", 0, { cases: [{ name: "a branch \u{1f600}", fault: null }], beatAt: Sample.atMinute(1) })
      yield* Law.equal(yield* store.update(ref, first), true)
      yield* Law.equal(yield* store.latest(ref), Option.some(first))
      yield* Law.equal(yield* store.update(ref, begun("b", 1)), false, "one that did not begin")
      const ended = { ...first, endedAt: Sample.atMinute(3), failure: "The server stopped." }
      yield* Law.equal(yield* store.update(ref, ended), true)
      yield* Law.equal(yield* store.update(ref, first), false, "one that has ended")
      yield* store.begin(ref, begun("c", 4))
      yield* Law.equal(yield* store.update(ref, ended), false, "one that was replaced")
      yield* Law.equal(yield* store.latest(ref), Option.some(begun("c", 4)))
    }
  )
]
