/** Reads the maps of a configuration file, and collects everything that is wrong with them. */
import { isScalar, type YAMLMap } from "yaml"
import { Spelling } from "@lazaret/domain"
import * as YamlDocument from "./YamlDocument.ts"

/** A document that is being read, and what was wrong with it so far. */
export interface Reader {
  readonly document: YamlDocument.YamlDocument
  readonly faults: Array<YamlDocument.Fault>
}

/** The most keys of one map. */
export const mostKeys = 50

/** Adds a fault at a node. */
export const refuse = (reader: Reader, path: string, node: unknown, message: string): void => {
  reader.faults.push({ path, line: YamlDocument.lineOf(reader.document, node), message })
}

/** The name of a field in the file: `batch_size` of `batchSize`. */
export const keyOf = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** The values of the known keys of a map, aliases followed; every other key is a fault. */
export const entriesOf = (
  reader: Reader,
  map: YAMLMap,
  prefix: string,
  known: ReadonlyArray<string>
): ReadonlyMap<string, unknown> => {
  const entries = new Map<string, unknown>()
  if (map.items.length > mostKeys) {
    const path = prefix === "" ? "document" : prefix.slice(0, -1)
    refuse(reader, path, map, `has ${map.items.length} keys; at most ${mostKeys} are accepted`)
    return entries
  }
  for (const { key: keyNode, value } of map.items) {
    const key = isScalar(keyNode) ? String(keyNode.value) : ""
    const fault = entries.has(key) ? "is written twice" : known.includes(key) ? null : unknownKey(key, known)
    if (fault === null) entries.set(key, YamlDocument.resolve(reader.document, value))
    else refuse(reader, `${prefix}${key}`, keyNode, fault)
  }
  return entries
}

const unknownKey = (key: string, known: ReadonlyArray<string>): string => {
  if (key === "priority") return "cannot be set: it follows from the order of the rules, the first is the highest"
  if (key === "<<") return "cannot be merged in: write the settings out, or use an alias for each value"
  const near = Spelling.closest(key, known)
  return near === null
    ? `is not a known key; known are ${known.join(", ")}`
    : `is not a known key; did you mean ${near}?`
}
