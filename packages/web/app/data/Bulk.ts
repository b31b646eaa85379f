/** The same write for many things: what did not succeed, and why. */
import * as Fetch from "./Fetch.ts"

export interface Failed<A> {
  readonly item: A
  readonly failure: Fetch.Failure
}

const atOnce = 4

/** Writes for every item, a few at a time, and goes on after failures. */
export const forEach = async <A>(
  items: ReadonlyArray<A>,
  write: (item: A) => Promise<Fetch.Answer<unknown> | Fetch.Failure>
): Promise<ReadonlyArray<Failed<A>>> => {
  const failed: Array<Failed<A>> = []
  const rest = items[Symbol.iterator]()
  const worker = async () => {
    for (const item of rest) {
      const answer = await write(item)
      if (Fetch.isFailure(answer)) failed.push({ item, failure: answer })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return failed
}
