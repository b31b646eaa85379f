/** Reports on traffic: the faults that judges found, by operation. */
import type { Exchange } from "./Exchange.ts"
import type { Judge } from "./OpenApi.ts"

/** The outcome of the exchanges with one platform against one document. */
export interface Report {
  readonly document: string
  readonly exchanges: number
  readonly operations: number
  /** Each fault once, with its operation. */
  readonly faults: ReadonlyArray<string>
  /** Refusals and redirects with a status that the document does not list, each once: published lists are not complete. */
  readonly unlisted: ReadonlyArray<string>
}

/** Judges exchanges. A request that the document does not have is a fault. */
export const of = (document: string, judge: Judge, exchanges: ReadonlyArray<Exchange>): Report => {
  const operations = new Set<string>()
  const faults = new Set<string>()
  const unlisted = new Set<string>()
  for (const exchange of exchanges) {
    const { answer, isUnlisted, operation, request } = judge.judge(exchange)
    if (operation === null) faults.add(`${exchange.method} ${exchange.url.split("?")[0]}: is not in the document`)
    else operations.add(operation)
    for (const fault of request) faults.add(`${operation}: the request ${fault}`)
    for (const fault of answer) faults.add(`${operation} ${exchange.status}: the answer ${fault}`)
    if (isUnlisted) unlisted.add(`${operation} ${exchange.status}`)
  }
  return {
    document,
    exchanges: exchanges.length,
    operations: operations.size,
    faults: [...faults].toSorted(),
    unlisted: [...unlisted].toSorted()
  }
}

/** A report for people. */
export const toText = ({ document, exchanges, faults, operations, unlisted }: Report): string =>
  [
    `${document}: ${exchanges} exchanges, ${operations} operations, ${faults.length} faults, ` +
      `${unlisted.length} refusals or redirects with a status that is not listed`,
    ...faults.map((fault) => `  ${fault}`)
  ].join("\n")
