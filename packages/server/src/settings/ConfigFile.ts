/**
 * The configuration file: lines `NAME=value`, as `node --env-file`, Docker and systemd read them (docs/reference/configuration.md).
 */
import { parseEnv } from "node:util"

/** The content of a file: each name with its value and its line, and a fault for each invalid line. */
export interface ConfigFile {
  readonly entries: ReadonlyMap<string, Entry>
  readonly faults: ReadonlyArray<string>
}

/** A value and its place, such as `/etc/lazaret.env:3`; an empty place is the environment. */
export interface Entry {
  readonly value: string
  readonly place: string
}

/**
 * Reads the content of a file.
 *
 * **Details**
 *
 * Empty lines and lines that begin with `#` are skipped. A value in quotes may hold spaces and `#`; it ends on its line.
 * A name that occurs twice is a fault: one of the two values is probably left over.
 */
export const parse = (path: string, content: string): ConfigFile => {
  const entries = new Map<string, Entry>()
  const faults: Array<string> = []
  for (const [index, line] of content
    .replace(/^\uFEFF/u, "")
    .split(/\r?\n/u)
    .entries()) {
    const place = `${path}:${index + 1}`
    const name = /^\s*([A-Za-z_]\w*)\s*=/u.exec(line)?.[1]
    const earlier = name === undefined ? undefined : entries.get(name)
    if (name === undefined && !/^\s*(?:#|$)/u.test(line)) faults.push(`${place}: write a line as NAME=value.`)
    else if (/^[^=]*=\s*(["'`])(?!.*\1)/u.test(line)) faults.push(`${place}: the quote of ${name} does not end.`)
    else if (earlier !== undefined) faults.push(`${place}: ${name} is set already at ${earlier.place}.`)
    else if (name !== undefined) entries.set(name, { value: parseEnv(line)[name] ?? "", place })
  }
  return { entries, faults }
}
