/** A part of the attack: what it does to a server, what it measured, and what should not have happened. */

/** How large the parts are: `short` runs in seconds, as a part of the tests; `full` takes minutes. */
export type Size = "short" | "full"

/** The outcome of a part; without findings the server held. */
export interface Outcome {
  readonly figures: Readonly<Record<string, number | string>>
  readonly findings: ReadonlyArray<string>
}

/** A part, which starts its own server and stops it. */
export interface Part {
  readonly name: string
  readonly run: (size: Size) => Promise<Outcome>
}

/** Collects findings: `expect` notes what does not hold. */
export const notes = () => {
  const findings: Array<string> = []
  return {
    findings,
    expect: (holds: boolean, finding: string): void => {
      if (!holds && findings.length < most) findings.push(finding)
    }
  }
}

/** More of the same say nothing new. */
const most = 50

/** The value below which this share of the values lies; 0 of no values. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0
