/**
 * Chooses numbers of the policy: one after the other, the step that makes the true causes most probable.
 *
 * The same examples give the same numbers. It proposes; a person writes the proposal into `FailurePolicy` with its figures.
 */
import { FailureGate, FailurePolicy, FailureVerdict, type FailureFacts } from "@lazaret/domain"

/** Failures of one job run or commit with their true causes, any of which is right, and how much each counts. */
export interface Example {
  readonly facts: FailureFacts.FailureFacts
  readonly causes: ReadonlyArray<FailurePolicy.Cause>
  readonly weight: number
}

/** The mean number of bits by which the true causes surprise; examples of one run belong together. */
export const lossOf = (examples: ReadonlyArray<Example>, policy: FailurePolicy.FailurePolicy): number => {
  const facts = examples.map((example) => example.facts)
  const verdicts = FailureVerdict.judgeAll(facts, policy, FailureGate.defaults)
  let loss = 0
  let weights = 0
  for (const [index, { causes, weight }] of examples.entries()) {
    const found = verdicts[index]?.causes
    const right = causes.reduce((sum, cause) => sum + (found?.[cause] ?? 0), 0)
    loss -= weight * Math.log2(Math.max(1e-3, right))
    weights += weight
  }
  return loss / weights
}

/** A number of the policy, by the names that lead to it. */
export type Path = ReadonlyArray<string>

/** The numbers that may be chosen: every rate, prior and likelihood. */
export const paths: ReadonlyArray<Path> = numbersIn(FailurePolicy.defaults.rates, ["rates"]).concat(
  numbersIn(FailurePolicy.defaults.jobs, ["jobs"]),
  numbersIn(FailurePolicy.defaults.message, ["message"]),
  numbersIn(FailurePolicy.defaults.pattern, ["pattern"]).filter((path) => path.length > 2),
  numbersIn(FailurePolicy.defaults.attempts, ["attempts"]),
  numbersIn(FailurePolicy.defaults.sizes, ["sizes"]),
  numbersIn(FailurePolicy.defaults.earlier, ["earlier"]),
  numbersIn(FailurePolicy.defaults.elsewhere, ["elsewhere"])
)

function numbersIn(value: object, path: Path): ReadonlyArray<Path> {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    typeof part === "number"
      ? [[...path, name]]
      : typeof part === "object" && part !== null
        ? numbersIn(part, [...path, name])
        : []
  )
}

/** A policy with one number multiplied; a share stays below 1. */
export const scaled = (policy: FailurePolicy.FailurePolicy, path: Path, factor: number): FailurePolicy.FailurePolicy =>
  // The copy has the shape of the policy: only a number in it changes.
  change(policy, path, factor) as FailurePolicy.FailurePolicy

const change = (value: unknown, [name, ...rest]: Path, factor: number): unknown => {
  if (name === undefined)
    return typeof value === "number" ? (value < 1 ? Math.min(0.99, value * factor) : value * factor) : value
  const part = typeof value === "object" && value !== null ? Object.entries(value) : []
  return Object.fromEntries(
    part.map(([key, each]: [string, unknown]) => [key, key === name ? change(each, rest, factor) : each])
  )
}

/** A step of the search: the number, its factor, and the loss with it. */
export interface Step {
  readonly path: Path
  readonly factor: number
  readonly loss: number
}

/** Tries every number larger and smaller, and keeps what makes the loss less by at least `least` bits. */
export function* train(
  examples: ReadonlyArray<Example>,
  start: FailurePolicy.FailurePolicy,
  { least, factors }: { readonly least: number; readonly factors: ReadonlyArray<number> }
): Generator<Step, FailurePolicy.FailurePolicy> {
  let policy = start
  let loss = lossOf(examples, policy)
  for (const path of paths) {
    for (const factor of factors) {
      const next = scaled(policy, path, factor)
      const nextLoss = lossOf(examples, next)
      if (nextLoss > loss - least) continue
      policy = next
      loss = nextLoss
      yield { path, factor, loss }
    }
  }
  return policy
}
