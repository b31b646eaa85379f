/** The failure of a command whose storage cannot be used. */
import { CommandFailure } from "@lazaret/cli"
import type { EmbeddedPostgresError } from "@lazaret/postgres-embedded"
import type { DatabaseError } from "@lazaret/store-postgres"

/** The failure, in one line with the remedy. */
export const of = (error: DatabaseError | EmbeddedPostgresError): CommandFailure.CommandFailure =>
  error.reason === "earlier"
    ? CommandFailure.usage(`${error.message}${begin}`)
    : CommandFailure.setup(`${oneLine(error.message)}${advice(error)}`)

/** The last commits that read what clones have written (their tables were made again on that day), and how to start without it. */
const begin =
  " Commit da65475b reads it (5810c3f1 if it is from before 2026-11-22). To begin with this version, set LAZARET_DATA_DIR to a new " +
  "folder (without DATABASE_URL), or DATABASE_URL to an empty database."

const advice = (error: DatabaseError | EmbeddedPostgresError): string => {
  switch (error.reason) {
    case "unreachable":
      return " Check DATABASE_URL, and that the server runs there."
    case "unsupported":
      return " Its variable is DATABASE_URL; LAZARET_STORE=memory needs no database and keeps nothing on disk."
    case "locked":
      return " The variable of the folder is LAZARET_DATA_DIR."
    default:
      return ""
  }
}

/** The first line, and of the log behind it the last fault, else its last line. */
const oneLine = (text: string): string => {
  const [first = "", ...log] = text.split("\n").map((line) => line.trim())
  const cause = log.findLast((line) => /\b(?:FATAL|PANIC|ERROR)\b/iu.test(line)) ?? log.at(-1)
  return cause === undefined ? first : `${first} ${cause}`
}
