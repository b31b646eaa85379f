/** A group of benchmarks that can be asked for by name. */
import type { Comparison, Pair } from "./Paired.ts"

/** A group of comparisons, or one that measures in its own way. */
export type Section = Pairs | Lines

/** A group of comparisons; its data is made only when it is asked for. */
export interface Pairs {
  readonly name: string
  readonly pairs: () => ReadonlyArray<Pair> | Promise<ReadonlyArray<Pair>>
  /** A remark on the result in the words of its subject. */
  readonly note: (comparison: Comparison) => string
  /** Ends what `pairs` started. */
  readonly close?: () => void
}

/** A group that says what it measures line by line; `options` are what begins with two dashes. */
export interface Lines {
  readonly name: string
  readonly lines: (options: ReadonlyArray<string>) => AsyncIterable<string>
}
