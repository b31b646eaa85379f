/** Signing in on the wire: what the dashboard sends once, and gets a cookie for. */
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

const longest = 1024

const secret = (description: string) =>
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest)).annotate({ description })

/** An application key, or the one-time code of a sign-in link. */
export const SignIn = Schema.Union([
  Schema.Struct({ key: secret("An application key.") }),
  Schema.Struct({ code: secret("The code of a sign-in link; it works once.") })
]).annotate({ identifier: "SignIn" })

/** A link that signs a browser in once. */
export const SignInLink = Schema.Struct({ url: Schema.String, expires_at: Timestamp }).annotate({
  identifier: "SignInLink",
  description: "A link that signs a browser in once, with the key of the request."
})
