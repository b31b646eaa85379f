/** The exit codes of the command line. `docs/reference/command-line.md` lists them. */

/** The command did everything. Also the end of a server that received a signal to stop. */
export const done = 0

/** A bug in Lazaret. */
export const bug = 1

/** A flag, an argument or a file is missing or wrong; a report cannot be read, or is incomplete; storage is of a clone before 0.1.0. */
export const usage = 2

/** The program cannot start here: a setting, the port or the data folder is invalid, or a package is missing. */
export const setup = 3

/** The server cannot be reached or keeps failing. The same command may succeed later. */
export const unreachable = 4

/** The server refused the request. The same command will be refused again. */
export const refused = 5

/** `verify`: the stored verdicts differ from the ones that follow from the executions. */
export const different = 6

/** `quarantine check`, `triage`: at least one failure blocks. `github check`, `gitlab check`: a step is missing. `queue certify`: a case does not hold. */
export const failing = 10

/** A signal such as control-C stopped the command. */
export const interrupted = 130
