/** The notes of pull requests of a platform in memory. */
import { Forge, type Note } from "@lazaret/services"
import { Effect } from "effect"

/** The notes by pull request, and the service that writes them; it does nothing else. */
export const make = () => {
  const notes = new Map<number, Array<Note>>()
  let last = 0
  const of = (pull: number) => notes.get(pull) ?? []
  const forge = Forge.of({
    repository: () => Effect.die("not asked"),
    pullsAt: () => Effect.die("not asked"),
    openPulls: () => Effect.die("not asked"),
    publish: () => Effect.die("not asked"),
    rerunFailedJobs: () => Effect.die("not asked"),
    notes: (_, pull, marker) => Effect.sync(() => of(pull).filter(({ body }) => body.startsWith(marker))),
    createNote: (_, pull, body) => Effect.sync(() => void notes.set(pull, [...of(pull), { id: (last += 1), body }])),
    editNote: (_, pull, note) =>
      Effect.sync(
        () =>
          void notes.set(
            pull,
            of(pull).map((each) => (each.id === note.id ? note : each))
          )
      ),
    removeNote: (_, pull, id) =>
      Effect.sync(
        () =>
          void notes.set(
            pull,
            of(pull).filter((each) => each.id !== id)
          )
      )
  })
  return { forge, notes }
}
