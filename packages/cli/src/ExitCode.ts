/** How the command line ends: its exit codes, also told in `docs/reference/command-line.md`. */

/** Everything that was asked for is done. Also the end of a server that was told to stop. */
export const done = 0

/** Something is broken in Lazaret itself. */
export const broken = 1

/** The command cannot be carried out as it was written: a flag, an argument or a file is missing or wrong. */
export const usage = 2

/** The server cannot start here: a setting, the port or the data folder is unfit. */
export const unfit = 3

/** The server cannot be reached or keeps failing; the same command may succeed later. */
export const unreachable = 4

/** The server understood and refused; the same command will be refused again. */
export const refused = 5

/** What is stored is not what the executions say. */
export const different = 6

/** `quarantine check`: at least one failed test is not quarantined. */
export const failing = 10

/** Stopped by a signal, such as control-C. */
export const interrupted = 130
