/** The tools of cases: equal answers, and laws over generated facts. Nothing here knows a test framework. */
import * as Arbitrary from "effect/Arbitrary"
import { Context, Effect } from "effect"
import * as Plain from "./Plain.ts"
import { Violation } from "./Violation.ts"

/** Fails with a violation unless the two answers are equal (`Plain.of`). */
export const equal = <A>(actual: A, expected: A, what = "the answer"): Effect.Effect<void, Violation> => {
  const path = Plain.difference(actual, expected)
  if (path === null) return Effect.void
  const [found, wanted] = [Plain.at(actual, path), Plain.at(expected, path)]
  const place = path === "" ? what : `${what} at ${path}`
  const message = `${place} is ${shown(found)} where the law asks for ${shown(wanted)}`
  return Effect.fail(new Violation({ message, actual: found, expected: wanted }))
}

/**
 * How many facts a law is tried with, from which seed they are generated, and the length up to which their lists grow from run to run, as far
 * as their own limits allow.
 *
 * A law is tried with the same facts in every run: an adapter that passes today does not fail tomorrow by chance.
 * Another seed explores.
 */
export interface Effort {
  readonly runs: number
  readonly seed?: number
  readonly size?: number
}

/**
 * The factor by which every law is tried more, or less, often: 1 unless it is provided.
 *
 * **Details**
 *
 * A slow adapter may try 0.2 at each change and 10 at night. Every law is tried once at least.
 */
export const Thoroughness: Context.Reference<number> = Context.Reference<number>(
  "@lazaret/store-conformance/Thoroughness",
  { defaultValue: () => 1 }
)

/** Fails with the smallest generated fact that breaks a law. */
export const forAll = <A, R>(
  facts: Arbitrary.Arbitrary<A>,
  law: (fact: A) => Effect.Effect<void, unknown, R>,
  { runs, seed = 1, size = longestList }: Effort
): Effect.Effect<void, Violation, R> =>
  Effect.flatMap(Thoroughness, (factor) => {
    const options = { runs: Math.max(1, Math.round(runs * factor)), seed, maxShrinks, size }
    return Arbitrary.checkEffect(facts, (fact) => Effect.as(law(fact), true), options)
  }).pipe(
    Effect.flatMap((result) => {
      const message = Arbitrary.formatCheckFailure(result)
      if (message === undefined) return Effect.void
      const error = result._tag === "Falsified" && result.failure._tag === "PropertyError" ? result.failure.error : null
      return Effect.fail(
        error instanceof Violation
          ? new Violation({
              message: `${error.message}\n${message.replace(/^Failure: [^]*\n(?=Replay: )/mu, "")}`,
              actual: error.actual,
              expected: error.expected
            })
          : new Violation({ message, actual: error, expected: null })
      )
    })
  )

const maxShrinks = 1000

const longestList = 100

const shown = (value: unknown): string => {
  const text = value === undefined ? "missing" : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const longest = 2000
