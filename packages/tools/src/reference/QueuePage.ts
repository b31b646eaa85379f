/** The page on the laws and scenarios of the merge queue: the tests of each number. */
import { posix } from "node:path"
import type { TextFile } from "../Workspace.ts"
import * as Markdown from "./Markdown.ts"
import * as QueueDesign from "./QueueDesign.ts"

/** The numbers of one kind that the title of a test names. */
type Numbers = (title: string) => ReadonlyArray<number>

/** A title such as "(21 to 25, 27) …" names scenarios. */
const scenariosOf: Numbers = (title) => {
  const [, group = ""] = /^\(([\d, to]+)\) /u.exec(title) ?? []
  return group.split(",").flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split(" to ").map((each) => Number.parseInt(each, 10))
    return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

/** A title such as "law 16 webhooks …" names a law. */
const lawsOf: Numbers = (title) => {
  const [, number] = /^law (\d+)\b/u.exec(title) ?? []
  return number === undefined ? [] : [Number(number)]
}

/** Texts that are titles of tests: what a test or a scenario begins with, and the keys of a table of laws. */
const titles = /(?:\b(?:it|it\.effect|it\.live|it\.prop|scenario)\(\s*|^ {2}(?="\d+ [^"]+":))"([^"]+)"/gmu

const titlesOf = ({ text }: TextFile): ReadonlyArray<string> =>
  [...text.matchAll(titles)].map(([, title = ""]) => (/^\d+ /u.test(title) ? `law ${title}` : title))

/** The numbers of the design that no test names. */
export const untested = (tests: ReadonlyArray<TextFile>): ReadonlyArray<string> => [
  ...missing("law", QueueDesign.laws, filesBy(tests, lawsOf)),
  ...missing("scenario", QueueDesign.scenarios, filesBy(tests, scenariosOf))
]

const missing = (kind: string, design: ReadonlyArray<string>, files: Files): ReadonlyArray<string> =>
  design.flatMap((_, index) => (files.has(index + 1) ? [] : [`${kind} ${index + 1}`]))

type Files = ReadonlyMap<number, ReadonlySet<string>>

const filesBy = (tests: ReadonlyArray<TextFile>, numbersOf: Numbers): Files => {
  const files = new Map<number, Set<string>>()
  for (const test of tests) {
    for (const number of titlesOf(test).flatMap(numbersOf)) {
      files.set(number, (files.get(number) ?? new Set()).add(test.path))
    }
  }
  return files
}

/** The page on these tests. */
export const make = (tests: ReadonlyArray<TextFile>): string =>
  Markdown.page([
    "# Tests of the merge queue",
    Markdown.generated,
    `The merge queue was designed with ${QueueDesign.laws.length} laws and ${QueueDesign.scenarios.length} scenarios. The titles of tests
name their numbers, and \`npm run reference:check\` fails where a number has no test. A law holds for drawn schedules; an engine that
violates it turns its test red. That every key of \`queue_rules\` acts or is refused is shown by
[KeyEffects](../../packages/queue/test/engine/KeyEffects.test.ts).`,
    "## Laws",
    tableOf("Law", QueueDesign.laws, filesBy(tests, lawsOf)),
    "## Scenarios",
    tableOf("Scenario", QueueDesign.scenarios, filesBy(tests, scenariosOf))
  ])

const tableOf = (heading: string, design: ReadonlyArray<string>, files: Files): string =>
  Markdown.table(
    ["", heading, "Tests"],
    design.map((sentence, index) => [
      String(index + 1),
      sentence,
      [...(files.get(index + 1) ?? [])].map(linkTo).join(", ")
    ])
  )

const linkTo = (path: string): string => `[${posix.basename(path, ".ts")}](../../${path})`
