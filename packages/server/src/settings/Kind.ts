/** The kinds of values that a setting can have: how each is written, and what to do when it is written wrongly. */
import { Redacted, Result } from "effect"
import { IpNetwork } from "effect/net"

/**
 * A kind of value.
 *
 * **Details**
 *
 * `label` names it in the documentation. `read` yields the value of a text that is not empty, or what to do instead, as a
 * clause that follows "PORT is …:". `isSecret` values are never shown, in no message.
 */
export interface Kind<A> {
  readonly label: string
  readonly isSecret: boolean
  readonly read: (text: string) => Result.Result<A, string>
}

const plain = <A>(label: string, advice: string, read: (text: string) => A | null): Kind<A> => ({
  label,
  isSecret: false,
  read: (text) => Result.fromNullishOr(read(text), () => advice)
})

const secretOf = (label: string, advice: string, isFit: (text: string) => boolean): Kind<Redacted.Redacted> => ({
  label,
  isSecret: true,
  read: (text) => (isFit(text) ? Result.succeed(Redacted.make(text)) : Result.fail(advice))
})

/** Any text. */
export const text = (label: string): Kind<string> => plain(label, "", (each) => each)

/** One of some words, exactly as written. */
export const oneOf = <const Word extends string>(words: ReadonlyArray<Word>): Kind<Word> =>
  plain(
    words.map((word) => `\`${word}\``).join(", "),
    `set it to ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
    (each) => words.find((word) => word === each) ?? null
  )

/** A whole number in decimal digits; both ends are allowed. */
export const wholeNumber = (range: { readonly from: number; readonly to: number }, example: number): Kind<number> =>
  plain(
    `${range.from} to ${range.to}`,
    `set it to a number from ${range.from} to ${range.to}, such as ${example}`,
    (each) => {
      const number = /^\d{1,15}$/.test(each) ? Number(each) : Number.NaN
      return number >= range.from && number <= range.to ? number : null
    }
  )

/** An address of the web, without a query; yielded without its trailing slashes. */
export const url = (example: string): Kind<string> =>
  plain("URL", `set it to an address such as ${example}`, (each) => {
    const parsed = URL.parse(each)
    return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.search === "" && parsed.hash === ""
      ? each.replace(/\/+$/, "")
      : null
  })

/** A secret that travels in a header: a space or a line break around it is a slip that would be hard to find. */
export const token: Kind<Redacted.Redacted> = secretOf(
  "secret of ASCII characters without spaces",
  "set it to ASCII characters without spaces",
  (each) => /^[\x21-\x7e]+$/.test(each)
)

/** Any secret. */
export const secret: Kind<Redacted.Redacted> = secretOf("secret", "", () => true)

/** Headers in the notation of OpenTelemetry: `name=value,name=value`, the values percent-encoded. */
export const headers: Kind<Redacted.Redacted<Readonly<Record<string, string>>>> = {
  label: "headers",
  isSecret: true,
  read: (list) => {
    const pairs = list.split(",").map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/u.exec(pair))
    const entries = pairs.map((pair) => [pair?.[1] ?? "", decoded(pair?.[2] ?? "")] as const)
    return entries.some(([name, value]) => name === "" || value === null)
      ? Result.fail("set it to pairs such as name=value,name=value")
      : Result.succeed(Redacted.make(Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]))))
  }
}

/** Networks, separated by commas; an address is the network of itself. */
export const networks: Kind<ReadonlyArray<IpNetwork.IpNetwork>> = plain(
  "networks",
  "set it to addresses or networks such as 127.0.0.1,10.0.0.0/8",
  (list) => {
    const all = list.split(",").map((each) => network(each.trim()))
    return all.some(Result.isFailure) ? null : all.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
  }
)

const network = (each: string) =>
  IpNetwork.fromString(each.includes("/") ? each : `${each}/${each.includes(":") ? 128 : 32}`)

const decoded = (encoded: string): string | null =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(encoded)),
    () => null
  )

/** The URL of a PostgreSQL; it may hold a password. */
export const databaseUrl: Kind<Redacted.Redacted> = secretOf(
  "URL of a PostgreSQL",
  "set it to one such as postgres://user:password@host:5432/lazaret",
  (each) => /^postgres(?:ql)?:$/.test(URL.parse(each)?.protocol ?? "")
)
