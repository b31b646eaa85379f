/**
 * The schemas of the values of settings. Each decodes a text that is not empty.
 *
 * **Details**
 *
 * The annotation `title` is the kind of value in the documentation. The annotation `expected` is what to write instead of
 * an invalid value, as a clause that follows "PORT is …:".
 */
import { Redaction, RoleMapping } from "@lazaret/domain"
import { GitHubCredentials } from "@lazaret/forge-github"
import { GitLabGroups } from "@lazaret/forge-gitlab"
import { Effect, Option, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { IpNetwork } from "effect/net"
import * as SecretKeys from "../access/SecretKeys.ts"
import * as Trust from "../access/Trust.ts"

/** The schema of a value that is written as a text. */
export type SettingSchema<A> = Schema.Codec<A, string>

/** Any text. */
export const text = (title: string): SettingSchema<string> => Schema.String.annotate({ title, expected: "" })

/** Any secret. */
export const secret = text("secret")

/** One of some words, exactly as written. */
export const oneOf = <const Word extends string>(words: ReadonlyArray<Word>): SettingSchema<Word> =>
  Schema.Literals(words).annotate({
    title: words.map((word) => `\`${word}\``).join(", "),
    expected: `set it to ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
  })

/** A whole number in decimal digits; both ends of the range are included. */
export const wholeNumber = (
  { from, to }: { readonly from: number; readonly to: number },
  example: number
): SettingSchema<number> =>
  parsed(Schema.Int, (digits) => {
    const number = /^\d{1,15}$/u.test(digits) ? Number(digits) : Number.NaN
    return number >= from && number <= to ? number : null
  }).annotate({ title: `${from} to ${to}`, expected: `set it to a number from ${from} to ${to}, such as ${example}` })

/** The URL of a website, without a query; decoded without its trailing slashes. */
export const url = (example: string): SettingSchema<string> =>
  parsed(Schema.String, (each) => {
    const { hash, protocol, search } = URL.parse(each) ?? { hash: "", protocol: "", search: "" }
    return /^https?:$/u.test(protocol) && search === "" && hash === "" ? each.replace(/\/+$/u, "") : null
  }).annotate({ title: "URL", expected: `set it to an address such as ${example}` })

/** The URL of a PostgreSQL database; it may hold a password. */
export const databaseUrl: SettingSchema<string> = parsed(Schema.String, (each) =>
  /^postgres(?:ql)?:$/u.test(URL.parse(each)?.protocol ?? "") ? each : null
).annotate({
  title: "URL of a PostgreSQL",
  expected: "set it to one such as postgres://user:password@host:5432/lazaret"
})

/** The URL of a mail server; it may hold a password. */
export const smtpUrl: SettingSchema<string> = parsed(Schema.String, (each) =>
  /^smtps?:$/u.test(URL.parse(each)?.protocol ?? "") && URL.parse(each)?.hostname !== "" ? each : null
).annotate({
  title: "URL of a mail server",
  expected: "set it to one such as smtp://user:password@mail.example.com:587"
})

/** The address that e-mails come from: `ada@example.com`, alone or as `Name <ada@example.com>`. */
export const mailAddress: SettingSchema<string> = parsed(Schema.String, (each) =>
  /^(?:[^<>@,;\p{Cc}]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u.test(each) ? each : null
).annotate({ title: "mail address", expected: "set it to one such as Lazaret <lazaret@example.com>" })

/** The least length of a token: 16 random characters cannot be guessed, and a single word can. */
export const fewestTokenCharacters = 16

/**
 * A secret that a header carries.
 *
 * **Details**
 *
 * Only visible ASCII characters: a header cannot carry others, and a space or a line break around a secret is a typing
 * error that is hard to find.
 */
export const token: SettingSchema<string> = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]+$/u),
  Schema.isMinLength(fewestTokenCharacters)
).annotate({
  title: `secret of at least ${fewestTokenCharacters} ASCII characters without spaces`,
  expected:
    `set it to at least ${fewestTokenCharacters} ASCII characters without spaces, ` +
    "such as those that `openssl rand -hex 32` prints"
})

/** The keys of secrets at rest. */
export const secretKeys: SettingSchema<string> = parsed(Schema.String, (each) =>
  SecretKeys.parse(each) === null ? null : each
).annotate({
  title: "keys of 32 bytes in base64, one in each line",
  expected: "set it to one that `openssl rand -base64 32` prints, with older ones in further lines"
})

/** The private key of a GitHub App; decoded to the form that signs requests. */
export const gitHubPrivateKey: SettingSchema<string> = parsed(Schema.String, (pem) =>
  Option.getOrNull(Option.map(Result.getSuccess(GitHubCredentials.privateKey(pem)), Redacted.value))
).annotate({
  title: "RSA private key in PEM",
  expected:
    "it is not an RSA private key without a passphrase; name the .pem file that GitHub generated for the app with " +
    "LAZARET_GITHUB_APP_PRIVATE_KEY_FILE"
})

/** Regular expressions, separated by spaces. */
export const patterns: SettingSchema<ReadonlyArray<string>> = parsed(Schema.Array(Schema.String), (given) => {
  const list = given.trim().split(/\s+/u)
  return Result.isSuccess(Redaction.withPatterns(list)) ? list : null
}).annotate({ title: "regular expressions", expected: "set it to regular expressions such as ACME-[0-9]{6}" })

/** Headers in the notation of OpenTelemetry: `name=value,name=value`, the values percent-encoded. */
export const headers: SettingSchema<Readonly<Record<string, string>>> = parsed(
  Schema.Record(Schema.String, Schema.String),
  (list) => {
    const entries = list.split(",").map(headerOf)
    return entries.every((entry) => entry !== null) ? Object.fromEntries(entries) : null
  }
).annotate({ title: "headers", expected: "set it to pairs such as name=value,name=value" })

/** Networks, separated by commas; an address is the network of itself. */
export const networks: SettingSchema<ReadonlyArray<IpNetwork.IpNetwork>> = parsed(
  Schema.Array(Schema.declare(IpNetwork.isIpNetwork)),
  (list) => Result.getOrNull(Result.all(list.split(",").map((each) => networkOf(each.trim()))))
).annotate({ title: "networks", expected: "set it to addresses or networks such as 127.0.0.1,10.0.0.0/8" })

/** Issuers of CI tokens with the owners that they are trusted for, separated by commas. */
export const trusts: SettingSchema<ReadonlyArray<Trust.Trust>> = parsed(
  Schema.Array(Schema.Struct({ owner: Schema.String, issuer: Schema.String })),
  (list) => {
    const all = list.split(",").map(Trust.parse)
    return all.every((trust) => trust !== null) ? all : null
  }
).annotate({
  title: "owners with their issuers",
  expected: "set it to entries such as acme@github,acme@gitlab,*@https://gitlab.example.com (not *@github or *@gitlab)"
})

/** The issuer of a provider that people sign in with: an https address, or one of this machine. */
export const issuer: SettingSchema<string> = parsed(
  Schema.String,
  (each) => Trust.parse(`*@${each}`)?.issuer ?? null
).annotate({ title: "URL", expected: "set it to an https address such as https://login.example.com" })

/** Groups with the roles that they give, separated by commas. */
export const roles: SettingSchema<ReadonlyArray<RoleMapping.GroupRole>> = parsed(
  Schema.declare((value): value is ReadonlyArray<RoleMapping.GroupRole> => Array.isArray(value)),
  RoleMapping.parse
).annotate({
  title: "groups with their roles",
  expected: "set it to entries such as *=viewer@acme,ops=admin@*,web=member@acme/widgets"
})

/** Names of domains, separated by commas; decoded in lower case. */
export const domains: SettingSchema<ReadonlyArray<string>> = parsed(Schema.Array(Schema.String), (list) => {
  const all = list.split(",").map((each) => each.trim().toLowerCase())
  return all.every((each) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/u.test(each)) ? all : null
}).annotate({ title: "domains", expected: "set it to domains such as example.com,example.org" })

/** Owners with their groups at GitLab, separated by commas. */
export const groups: SettingSchema<ReadonlyMap<string, string>> = parsed(
  Schema.declare((value): value is ReadonlyMap<string, string> => value instanceof Map),
  GitLabGroups.parse
).annotate({
  title: "owners with their groups",
  expected: "set it to entries such as backend=acme/platform/backend, each owner and each group once"
})

/** The schema of texts that `parse` reads; null for an invalid one. Settings are only decoded. */
function parsed<A>(type: Schema.Codec<A, A>, parse: (text: string) => A | null): SettingSchema<A> {
  return Schema.String.pipe(
    Schema.decodeTo(type, {
      decode: SchemaGetter.transformEffect((given: string, options) => {
        const value = parse(given)
        return value === null ? Effect.fail(new SchemaIssue.InvalidValue({}, given, options)) : Effect.succeed(value)
      }),
      encode: SchemaGetter.forbidden(() => "a setting is only read")
    })
  )
}

function headerOf(pair: string): readonly [name: string, value: string] | null {
  const [, name = "", encoded = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/u.exec(pair) ?? []
  const value = Result.getOrNull(Result.try(() => decodeURIComponent(encoded)))
  return name === "" || value === null ? null : [name, value]
}

function networkOf(each: string) {
  return IpNetwork.fromString(each.includes("/") ? each : `${each}/${each.includes(":") ? 128 : 32}`)
}
