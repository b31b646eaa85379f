/** The summary of a job in Markdown, for the page of its run. */
import { plain } from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"
import type { ToldFailure } from "./ToldFailure.ts"

/** GitHub shows up to 1 MiB for a step. */
const mostRows = 200

/**
 * The summary: one sentence, and a row for each failure, those that block first.
 *
 * **Details**
 *
 * Texts of reports are literal: no character of them is Markdown, HTML or a mention.
 */
export const of = (failures: ReadonlyArray<ToldFailure>, repositoryUrl: string): string => {
  const blocking = failures.filter(({ isBlocking }) => isBlocking).length
  const rows = failures.slice(0, mostRows).map(rowOf)
  const more = failures.length > mostRows ? [`\nand ${failures.length - mostRows} more.\n`] : []
  const sentence =
    failures.length === 0
      ? "No test failed."
      : `${Words.counted(failures.length, "failure")}, ${blocking === 0 ? "none of them blocks" : `${blocking} of them ${blocking === 1 ? "blocks" : "block"}`}.`
  return [
    `### Lazaret: ${sentence}\n`,
    ...(rows.length === 0 ? [] : ["| | Test | Why | Message |\n| --- | --- | --- | --- |", ...rows]),
    ...more,
    `\n[Dashboard](${repositoryUrl})\n`
  ].join("\n")
}

const rowOf = ({ isBlocking, message, sentence, testName, url }: ToldFailure): string => {
  const cells = [
    isBlocking ? "❌" : "⚪",
    `[${literal(testName, 300)}](${url})`,
    literal(sentence, 500),
    literal(message?.split("\n", 1)[0] ?? "", 300)
  ]
  return `| ${cells.join(" | ")} |`
}

const literal = (text: string, most: number): string =>
  plain(text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`).replaceAll(
    /[!-/:-@[-`{-~]/g,
    (character) => `&#${character.charCodeAt(0)};`
  )
