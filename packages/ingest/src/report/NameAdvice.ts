/** Warnings about names that will not stay, with the option of the producer that cures them. */
import type { Report } from "@lazaret/domain"
import type { Producer } from "./Dialect.ts"
import * as Filepath from "../text/Filepath.ts"
import * as Warnings from "../text/Warnings.ts"

/**
 * The names of one report.
 *
 * **Details**
 *
 * - `ordered`: the names that only the order of the report tells apart (`Attempts.Executions`).
 * - `isOrderExplained`: whether another warning says already why names are equal.
 */
export interface Names {
  readonly cases: ReadonlyArray<Report.Case>
  readonly ordered: ReadonlyArray<string>
  readonly producer: Producer | undefined
  readonly isOrderExplained: boolean
}

/** Adds a warning for equal names, for names with an absolute path, and for a report whose cases name no file though they could. */
export const add = (names: Names, warnings: Warnings.Warnings): void => {
  const { cases, isOrderExplained, ordered, producer } = names
  const option = producer === undefined ? undefined : fileOptions.get(producer)
  const isWithoutFiles = cases.length > 0 && cases.every(({ filepath }) => filepath === null)
  if (ordered.length > 0 && !isOrderExplained) warnings.add(orderAlone(ordered, isWithoutFiles ? option : undefined))
  if (isWithoutFiles && option !== undefined) warnings.add(withoutFiles(option))
  const absolute = cases.filter(isAbsolute)
  const [first] = absolute
  if (first !== undefined) warnings.add(withPaths(absolute.length, first.testName))
}

/** The option that lets a producer write the file of each test. Producers without one are left out. */
const fileOptions: ReadonlyMap<Producer, string> = new Map([
  ["pytest", "run pytest with `-o junit_family=xunit1`"],
  ["jest", 'set `addFileAttribute: "true"` of jest-junit'],
  ["node:test", "run the tests with Node 24"]
])

const isAbsolute = ({ filepath, testName }: Report.Case): boolean =>
  filepath !== null && Filepath.isAbsolute(filepath) && testName.includes(filepath)

const orderAlone = (ordered: ReadonlyArray<string>, option: string | undefined): string =>
  `${Warnings.counted(ordered.length, "case")} with the name of another case, told apart by the order of the report alone ` +
  `(${Warnings.quoted(ordered[0] ?? "")}): in another order a failure belongs to another test. ` +
  (option === undefined ? "Give each test its own name." : `To tell files apart, ${option}.`)

const withoutFiles = (option: string): string =>
  `No test names its file: tests get no owners, and failures no place in the source. To change that, ${option}; ` +
  "the names of the tests change once."

const withPaths = (count: number, example: string): string =>
  `${Warnings.counted(count, "test name")} with an absolute path, for example ${Warnings.quoted(example)}: ` +
  "names change with the folder of the checkout. Upload with `lazaret run` or `lazaret ingest` inside of the checkout, " +
  "send its folder as the parameter `checkout`, or let the reporter write relative paths."
