/**
 * Signing in on the wire: what the dashboard sends once, and gets a cookie for.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

const longest = 1024

const secret = (description: string) =>
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest)).annotate({ description })

/**
 * An application key, or the one-time code of a sign-in link.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SignIn = Schema.Union([
  Schema.Struct({ key: secret("An application key.") }),
  Schema.Struct({ code: secret("The code of a sign-in link; it works once.") })
]).annotate({ identifier: "SignIn" })

/**
 * A link that signs a browser in once.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SignInLink = Schema.Struct({ url: Schema.String, expires_at: Timestamp }).annotate({
  identifier: "SignInLink",
  description: "A link that signs a browser in once, with the key of the request."
})
