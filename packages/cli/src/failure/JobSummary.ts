/** The summary of a job in Markdown, for the page of its run. */
import { plain } from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"
import type { ShownFailure } from "./ShownFailure.ts"

/** The most bytes of the summary of a step: GitHub shows an error in place of a longer one. */
export const mostBytes = 1_048_576

/** The most rows, and the bytes that the text around them may take. */
const mostRows = 200
const frame = 2000

/**
 * The summary: one sentence, and a row for each failure, those that block first.
 *
 * **Details**
 *
 * Texts of reports are literal: no character of them is Markdown, HTML or a mention. The summary has at most `room` bytes:
 * rows that do not fit are counted.
 */
export const of = (failures: ReadonlyArray<ShownFailure>, repositoryUrl: string, room = mostBytes): string => {
  const blocking = failures.filter(({ isBlocking }) => isBlocking).length
  const rows = fitting(failures.slice(0, mostRows).map(rowOf), room - frame)
  const more = failures.length > rows.length ? [`\nand ${failures.length - rows.length} more.\n`] : []
  const sentence =
    failures.length === 0
      ? "No test failed."
      : `${Words.counted(failures.length, "failure")}; ${blockingOf(blocking, failures.length)}.`
  return [
    `### Lazaret: ${sentence}\n`,
    ...(rows.length === 0 ? [] : ["| | Test | Why | Message |\n| --- | --- | --- | --- |", ...rows]),
    ...more,
    `\n[Dashboard](${repositoryUrl})\n`
  ].join("\n")
}

/** The first rows whose bytes fit into a room together. */
const fitting = (rows: ReadonlyArray<string>, room: number): ReadonlyArray<string> => {
  let left = room
  const end = rows.findIndex((row) => (left -= Buffer.byteLength(row) + 1) < 0)
  return end < 0 ? rows : rows.slice(0, end)
}

const blockingOf = (blocking: number, all: number): string => {
  if (blocking === 0) return all === 1 ? "it does not block" : "none of them blocks"
  if (blocking === all) return all === 1 ? "it blocks" : "all of them block"
  return `${blocking} of them ${blocking === 1 ? "blocks" : "block"}`
}

const rowOf = ({ isBlocking, message, sentence, testName, url }: ShownFailure): string => {
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
