/** Messages of failures: a phrase with words that stay, and with numbers, addresses and ids that may differ each time. */
import type { Random } from "../queue/Random.ts"
import { magnitude, pick } from "./Draw.ts"
import type { Regime } from "./Regime.ts"

/** The message and the type of one failure. */
export interface Exception {
  readonly type: string | null
  readonly message: string | null
}

/** Says the message of one failure. */
export type Message = (draw: Random) => Exception

/** The subject of a message. */
export type Kind = "flake" | "change" | "outage" | "dependency" | "load"

/** A new message of a kind: one that many tests share, one without a text, or one of its own. */
export const make = (draw: Random, kind: Kind, { messages }: Pick<Regime, "messages">): Message => {
  const isOwn = kind === "outage" || kind === "dependency" || kind === "load"
  if (!isOwn && draw() < messages.silent) return () => ({ type: null, message: null })
  const phrases = !isOwn && draw() < messages.generic ? generic : own[kind]
  const [name, phrase] = pick(draw, phrases)
  const words = phrase.replaceAll("{word}", () => pick(draw, stems) + pick(draw, stems))
  const type = messages.typed ? name : null
  if (draw() < messages.volatile) return (each) => ({ type, message: fill(each, words) })
  const fixed = fill(draw, words)
  return () => ({ type, message: fixed })
}

type Phrase = readonly [type: string, text: string]

/** Flakes and breaks say these alike. */
const generic: ReadonlyArray<Phrase> = [
  ["AssertionError", "expected true to be false"],
  ["AssertionError", "expected {n} to equal {n}"],
  ["TimeoutError", "Timeout of 5000ms exceeded."],
  ["AssertionError", "assert False"],
  ["AssertionError", "expected undefined to be defined"],
  ["NullPointerException", "null"]
]

const own: { readonly [K in Kind]: ReadonlyArray<Phrase> } = {
  flake: [
    ["TimeoutError", "no answer of {word} after {duration}"],
    ["AssertionError", "{word} took {duration}, expected less"],
    ["Error", "socket hang up ({ip}:{port})"],
    ["AssertionError", "condition of {word} was not reached within {duration}"],
    ["StaleElementError", "stale element {uuid} of {word}"],
    ["AssertionError", "expected order of {word} [{n}, {n}, {n}]"],
    ["ConcurrentModificationException", "{word} was changed by worker {n}"],
    ["Error", "port {port} is in use"],
    ["OperationalError", "lock of {word} not available, transaction {hex}"]
  ],
  change: [
    ["AssertionError", "expected '{word}' to equal '{word}'"],
    ["TypeError", "Cannot read properties of undefined (reading '{word}')"],
    ["TypeError", "{word} is not a function"],
    ["TypeError", "{word}() missing 1 required argument: '{word}'"],
    ["ProgrammingError", "no such column: {word}"],
    ["AssertionError", "snapshot {word} {n} differs"],
    ["KeyError", "{word}"],
    ["AssertionError", "expected {n} {word} but found {n}"],
    ["ValidationError", "field {word} is required in record {uuid}"]
  ],
  outage: [
    ["Error", "connect ECONNREFUSED {ip}:{port}"],
    ["Error", "getaddrinfo EAI_AGAIN {word}.internal"],
    ["HttpError", "503 Service Unavailable, request {uuid}"],
    ["OSError", "No space left on device: /tmp/{hex}"],
    ["HttpError", "429 Too Many Requests from {word}"],
    ["TimeoutError", "TLS handshake with {word} timed out after {duration}"],
    ["OperationalError", "the database system is starting up"],
    ["TimeoutError", "no answer of {word} after {duration}"],
    ["AssertionError", "expected 500 to equal 200"]
  ],
  dependency: [
    ["ImportError", "cannot import name '{word}' from '{word}'"],
    ["AttributeError", "module '{word}' has no attribute '{word}'"],
    ["TypeError", "{word}() got an unexpected keyword argument '{word}'"],
    ["DeprecationWarning", "{word} is deprecated since version {n}.{n}"],
    ["AssertionError", "expected '{word}' to equal '{word}'"]
  ],
  load: [
    ["Error", "Cannot find module './{word}'"],
    ["SyntaxError", "Unexpected token in {word} at line {n}"],
    ["ModuleNotFoundError", "No module named '{word}'"],
    ["ReferenceError", "{word} is not defined"]
  ]
}

const stems =
  "alpha basket cart delta entry field gate horizon index join key ledger map node order page query route".split(" ")

const fill = (draw: Random, text: string): string =>
  text.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => {
    switch (slot) {
      case "n":
        return String(Math.floor(magnitude(draw, 1, 5000)))
      case "duration":
        return `${Math.round(magnitude(draw, 20, 90_000))} ms`
      case "ip":
        return `10.${digits(draw, 250)}.${digits(draw, 250)}.${digits(draw, 250)}`
      case "port":
        return String(1024 + digits(draw, 60_000))
      case "uuid":
        return `${hex(draw, 8)}-${hex(draw, 4)}-4${hex(draw, 3)}-a${hex(draw, 3)}-${hex(draw, 12)}`
      default:
        return hex(draw, 10)
    }
  })

const digits = (draw: Random, end: number): number => Math.floor(draw() * end)

const hex = (draw: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(draw() * 16).toString(16)).join("")
