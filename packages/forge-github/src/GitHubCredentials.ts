/** How the server proves itself to GitHub: as an app, with a token, or not at all. */
import { createPrivateKey } from "node:crypto"
import { Redacted, Result } from "effect"

/** The credentials of the server. */
export type GitHubCredentials =
  | { readonly _tag: "App"; readonly appId: number; readonly privateKey: Redacted.Redacted }
  | { readonly _tag: "Token"; readonly token: Redacted.Redacted }
  | { readonly _tag: "None" }

/**
 * The private key of an app in a text, in the form that signs requests; a failure says what is wrong in a clause, and never
 * quotes the text.
 */
export const privateKey = (pem: string): Result.Result<Redacted.Redacted, string> => {
  const kind = /-----BEGIN ([A-Z ]+)-----/u.exec(pem)?.[1]
  if (kind === undefined) return Result.fail("it has no line such as -----BEGIN RSA PRIVATE KEY-----")
  if (!kind.endsWith("PRIVATE KEY")) return Result.fail(`it is a ${kind.toLowerCase()}, not a private key`)
  const key = Result.try(() => createPrivateKey(pem))
  if (Result.isFailure(key)) return Result.fail("it is damaged, or protected with a passphrase")
  if (key.success.asymmetricKeyType !== "rsa") {
    return Result.fail(
      `it is a key for ${key.success.asymmetricKeyType ?? "something else"}, and GitHub signs with RSA`
    )
  }
  return Result.succeed(Redacted.make(key.success.export({ type: "pkcs8", format: "pem" }).toString()))
}
