/** Removes terminal control sequences from texts of test runners. */

/**
 * Colours and cursor movements (ECMA-48 control sequences), and links. XML forbids the control character that they begin with:
 * where a reporter wrote it all the same, the parser has put U+FFFD into its place.
 */
// oxlint-disable-next-line no-control-regex
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))|\uFFFD\[[\d;]*[mK]/g

/** A text without terminal control sequences. */
export const of = (text: string): string =>
  text.includes("\u001B") || text.includes("\uFFFD[") ? text.replaceAll(sequences, "") : text
