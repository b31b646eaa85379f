import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { Redaction } from "../../src/index.ts"

const from = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.array(fc.constantFrom(...alphabet), { minLength, maxLength }).map((letters) => letters.join(""))

const lower = "abcdefghijklmnopqrstuvwxyz"
const digits = "0123456789"
const hex = `${digits}abcdef`
const word = `${lower}${lower.toUpperCase()}${digits}`
const base64url = `${word}-_`
const base64 = `${word}+/`

const prefixed = (prefix: string, alphabet: string, length: number) =>
  from(alphabet, length).map((rest) => `${prefix}${rest}`)

/** A secret, and the whole text that holds it. */
interface Planted {
  readonly secret: string
  readonly text: string
}

const bare = (secrets: fc.Arbitrary<string>): fc.Arbitrary<Planted> =>
  secrets.map((secret) => ({ secret, text: secret }))

const within = (secrets: fc.Arbitrary<string>, ...frames: ReadonlyArray<(secret: string) => string>) =>
  fc.tuple(secrets, fc.constantFrom(...frames)).map(([secret, frame]): Planted => ({ secret, text: frame(secret) }))

const pem = (kind: string, separator: string) =>
  from(base64, 64, 200).map((body) => `-----BEGIN ${kind}-----${separator}${body}${separator}-----END ${kind}-----`)

const shapes: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  "GitHub token": bare(fc.oneof(...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((each) => prefixed(each, word, 36)))),
  "fine-grained GitHub token": bare(prefixed("github_pat_11", `${word}_`, 80)),
  "GitLab token": bare(
    fc.oneof(...["glpat-", "gldt-", "glrt-", "glptt-"].map((each) => prefixed(each, base64url, 20)))
  ),
  "AWS key id": bare(
    fc.oneof(...["AKIA", "ASIA"].map((each) => prefixed(each, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)))
  ),
  "AWS secret": within(
    from(base64, 40),
    (each) => `aws_secret_access_key = ${each}`,
    (each) => `AWS_SECRET_ACCESS_KEY=${each}`,
    (each) => `{"secretAccessKey": "${each}"}`
  ),
  "Slack token": bare(
    fc.oneof(...["xoxb-", "xoxp-", "xoxe.xoxp-1-", "xapp-1-"].map((each) => prefixed(each, base64url, 24)))
  ),
  "Slack webhook": within(prefixed("T0AB/B0CD/", word, 24), (each) => `https://hooks.slack.com/services/${each}`),
  "JSON web token": bare(
    fc
      .tuple(from(base64url, 20), from(base64url, 30), from(base64url, 0, 43))
      .map(([head, body, signature]) => `eyJ${head}.eyJ${body}.${signature}`)
  ),
  "private key": bare(
    fc.oneof(
      pem("RSA PRIVATE KEY", "\n"),
      pem("PRIVATE KEY", "\\n"),
      pem("OPENSSH PRIVATE KEY", "\r\n"),
      pem("EC PRIVATE KEY", " ")
    )
  ),
  "password in an address": within(
    from(`${word}.!$*@~%`, 8, 20),
    (each) => `postgres://ada:${each}@db.example.com:5432/lazaret`,
    (each) => `https://:${each}@example.com`
  ),
  "token in an address": within(from(word, 20), (each) => `https://${each}@github.com/acme/widgets.git`),
  header: within(
    from(`${base64url}.`, 16, 60),
    (each) => `Authorization: Bearer ${each}`,
    (each) => `authorization: token ${each}`,
    (each) => `{"authorization": "Basic ${each}"}`,
    (each) => `curl -H 'Authorization: ${each}'`,
    (each) => `bearer ${each}`
  ),
  variable: within(
    from(base64url, 12, 40),
    (each) => `DB_PASSWORD=${each}`,
    (each) => `password: "${each}"`,
    (each) => `client_secret=${each}`,
    (each) => `"apiKey":"${each}"`,
    (each) => `MY_API_KEY: '${each}'`,
    (each) => `ACCESS_TOKEN=${each}`,
    (each) => `?api_key=${each}&page=2`
  ),
  "Stripe key": bare(fc.oneof(...["sk_live_", "rk_test_"].map((each) => prefixed(each, word, 24)))),
  "Google key": bare(prefixed("AIza", base64url, 35)),
  "npm token": bare(prefixed("npm_", word, 36)),
  "PyPI token": bare(prefixed("pypi-AgEIcHlwaS5vcmc", base64url, 40)),
  "OpenAI key": bare(prefixed("sk-proj-", base64url, 40)),
  "Hugging Face token": bare(prefixed("hf_", word, 34)),
  "Vault token": bare(prefixed("hvs.", base64url, 24)),
  "SendGrid key": bare(fc.tuple(from(base64url, 22), from(base64url, 43)).map(([a, b]) => `SG.${a}.${b}`)),
  "key of this service": bare(prefixed("lzr_", base64url, 32)),
  "announced mask": within(from(word, 6, 30), (each) => `::add-mask::${each}\nlater: ${each}.`)
}

/** Words that messages of failures are made of, and things that look a little like secrets. */
const plainWord = fc.oneof(
  fc.constantFrom(
    ...(
      "expected received to equal 1 2 undefined null TypeError: AssertionError: at Object.<anonymous> " +
      "(src/cart.test.ts:12:5) token } in JSON Unexpected secretly passwords token: key the sk-1 task-management-and-more-of-it " +
      "file:///app/src/a.ts https://example.com/a?b=c ssh://git@github.com npm:lodash@4.17.21 webpack://app/./a.js " +
      "user@example.com ada:x@y a:b 10:30:00 a=b && || !== => {} [] 3.14 -1e9 $100 foo_bar --flag=value *** password=***"
    ).split(" ")
  ),
  from(lower, 1, 12),
  from(digits, 1, 12),
  from(hex, 40),
  fc.uuid()
)

const plain = fc.array(plainWord, { maxLength: 30 }).map((words) => words.join(" "))

const edge = fc.constantFrom("", " ", "\n", "'", '"', "(", "`", ": ", "=")

describe("redaction", () => {
  for (const [name, planted] of Object.entries(shapes)) {
    it(`redaction removes a ${name} wherever it stands`, () => {
      fc.assert(
        fc.property(plain, edge, planted, edge, plain, (before, left, { secret, text }, right, after) => {
          const redacted = Redaction.redact(`${before}${left}${text}${right}${after}`)
          assert.notInclude(redacted, secret)
          assert.include(redacted, Redaction.mask)
        }),
        { numRuns: 200 }
      )
    })
  }

  it("redaction leaves plain text as it is", () => {
    fc.assert(
      fc.property(plain, (text) => assert.strictEqual(Redaction.redact(text), text)),
      { numRuns: 500 }
    )
  })

  it("redaction of a redacted text removes nothing", () => {
    const texts = fc.array(fc.oneof(...Object.values(shapes)), { maxLength: 4 })
    fc.assert(
      fc.property(texts, plain, (list, text) => {
        const once = Redaction.redact([text, ...list.map((each) => each.text)].join("\n"))
        assert.strictEqual(Redaction.redact(once), once)
      })
    )
  })

  it("redaction removes a secret whose end was cut", () => {
    const cut = `${"-----BEGIN RSA PRIVATE KEY-----"}\nMIIEpAIBAAKCAQEA`
    assert.strictEqual(Redaction.redact(`key ${cut}`), "key ***")
    assert.strictEqual(Redaction.redact("ghp_0123456789ab"), "***")
  })

  it("redaction keeps what tells a reader which secret it was", () => {
    const text =
      "connect postgres://ada:hunter2@db/lazaret with Authorization: Bearer 0123456789abcdef and DB_PASSWORD=hunter2hunter2"
    assert.strictEqual(
      Redaction.redact(text),
      "connect postgres://***@db/lazaret with Authorization: Bearer *** and DB_PASSWORD=***"
    )
  })

  it("redaction takes patterns of the user in addition, and lists those that are no regular expressions", () => {
    const redact = Result.getOrThrow(Redaction.withPatterns(["ACME-\\d+", "x*"]))
    assert.strictEqual(redact("ACME-1 ghp_0123456789abcdef"), "*** ***")
    assert.deepStrictEqual(Redaction.withPatterns(["a", "(", "["]), Result.fail(["(", "["]))
    assert.deepStrictEqual(Redaction.withPatterns(["a", "("]), Result.fail(["("]))
  })

  it("a pattern with named groups keeps what stands before and after the secret", () => {
    const redact = Result.getOrThrow(Redaction.withPatterns(["(?<before>pin=)\\d+(?<after>;)", "(?<other>cat)"]))
    assert.strictEqual(redact("a pin=1234; cat"), "a pin=***; ***")
  })

  it("an announced value of four characters and more is removed everywhere, the longest first", () => {
    const text = (value: string) => Redaction.redact(`::add-mask::${value}\nsaid ${value}`)
    assert.notInclude(text("k9x7"), "k9x7")
    assert.include(text("k9x"), "said k9x")
    const both = Redaction.redact("::add-mask::abcd1\n::add-mask::abcd1efgh\nsaid abcd1efgh")
    assert.isTrue(both.endsWith("said ***"), both)
  })

  it("redaction takes time that is linear in the length of the text", () => {
    const hostile = [
      "a://",
      "eyJ",
      "eyJa.",
      "-----BEGIN ",
      "password=",
      "::add-mask::",
      "gh",
      "authorization: ",
      "A.",
      "hooks.slack.com/"
    ]
    for (const each of hostile) {
      const text = each.repeat(Math.ceil(60_000 / each.length))
      assert.isAtMost(Redaction.redact(text).length, text.length)
    }
  })
})
