/** Failures as the annotations of CI systems. */
import type { ShownFailure } from "./ShownFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/** GitHub Actions shows this many annotations of each level for a step. */
const mostOfLevel = 10

/**
 * The workflow commands that annotate a run of GitHub Actions: an error for each failure that blocks, a notice for each other.
 *
 * **Details**
 *
 * Each command is one line, whatever the texts hold: they cannot begin another command. `placeOf` is the path of a file
 * relative to the checkout; null leaves the place out.
 */
export const ofGitHub = (
  failures: ReadonlyArray<ShownFailure>,
  placeOf: (file: string) => string | null
): ReadonlyArray<string> => shown(failures).map((each) => command(each, each.file === null ? null : placeOf(each.file)))

/** The failures that are annotated: the first ones of each level. */
export const shown = (failures: ReadonlyArray<ShownFailure>): ReadonlyArray<ShownFailure> =>
  [true, false].flatMap((isBlocking) => failures.filter((each) => each.isBlocking === isBlocking).slice(0, mostOfLevel))

const command = (
  { isBlocking, line, message, sentence, testName, url }: ShownFailure,
  place: string | null
): string => {
  const properties = [
    ...(place === null ? [] : [`file=${property(place)}`]),
    ...(place === null || line === null ? [] : [`line=${line}`]),
    `title=${property(shortened(testName, 200))}`
  ]
  // The log shows no titles.
  const text = [
    `${shortened(testName, 200)}: ${sentence}`,
    ...(message === null ? [] : [shortened(message, 4000)]),
    url
  ].join("\n")
  return `::${isBlocking ? "error" : "notice"} ${properties.join(",")}::${value(text)}`
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`

/** The runner decodes these three; `plain` leaves no carriage return. It looks for `##[` in the middle of lines, too. */
const value = (text: string): string =>
  text
    .split("\n")
    .map(plain)
    .join("\n")
    .replaceAll(/##(?=\w*\[)/g, String.raw`\u0023#`)
    .replaceAll("%", "%25")
    .replaceAll("\n", "%0A")

const property = (text: string): string => value(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/** The content of a file for `artifacts:reports:annotations` of GitLab CI: a link for each failure. */
export const ofGitLab = (failures: ReadonlyArray<ShownFailure>): string =>
  JSON.stringify({
    Lazaret: failures.slice(0, mostLinks).map(({ sentence, testName, url }) => ({
      external_link: { label: shortened(`${plain(testName)}: ${plain(sentence)}`, 500), url }
    }))
  })

const mostLinks = 100
