/** Tests of effects that are written as steps, those of `Effect.gen`. */
import { it, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

/** The tests that the `it` of a layer registers. */
export const stepsOf =
  <R>({ effect }: { readonly effect: Vitest.Test<R> }) =>
  <A>(title: string, steps: () => Effect.fn.Return<A, unknown, R>, timeout?: number): void =>
    effect(title, () => Effect.gen(steps), timeout)

/** Registers a test that does its steps one after another, with a clock and a scope of its own. */
export const test = stepsOf(it)
