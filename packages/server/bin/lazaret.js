#!/usr/bin/env node
/** The command `lazaret`, with the commands of this package. */
import "@lazaret/cli/bin"
