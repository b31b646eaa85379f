/** Removes terminal control sequences from texts of test runners. */

/** Colours and cursor movements (ECMA-48 control sequences), and links. */
// oxlint-disable-next-line no-control-regex
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g

/** A text without terminal control sequences. */
export const of = (text: string): string => (text.includes("\u001B") ? text.replaceAll(sequences, "") : text)
