/** Signing in on the wire: what the dashboard sends once, and gets a cookie for. */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const secret = (description: string) => Text.between(1, 1024).annotate({ description })

/** An application key, or the one-time code of a sign-in link. */
export const SignIn = Schema.Union([
  Schema.Struct({ key: secret("An application key.") }),
  Schema.Struct({ code: secret("The code of a sign-in link; it works once.") })
]).annotate({ identifier: "SignIn" })

/** The ways to sign in, in addition to a key. */
export const SignInWays = Schema.Struct({
  providers: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["oidc", "github"]).annotate({ description: "OpenID Connect, or GitHub." }),
      title: Schema.String.annotate({ description: "The name on the button." }),
      url: Schema.String.annotate({ description: "The address that leads to the provider." })
    })
  ).annotate({ description: "The providers that sign people in, at most one of each kind." })
}).annotate({ identifier: "SignInWays", description: "The ways to sign in, in addition to a key." })

/** An open session. */
export const Session = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["key", "user"]),
  name: Schema.String.annotate({ description: "The name of the key, or the login of the person." }),
  owner: Schema.NullOr(Schema.String).annotate({ description: "The owner whom the key is bound to." }),
  created_at: Timestamp,
  seen_at: Timestamp.annotate({ description: "The latest request, at most a minute behind." }),
  ends_at: Timestamp.annotate({ description: "When it ends without a further request." }),
  address: Schema.NullOr(Schema.String),
  agent: Schema.NullOr(Schema.String),
  is_current: Schema.Boolean.annotate({ description: "Whether it is the session of this request." })
}).annotate({ identifier: "Session", description: "A browser that is signed in." })

/** The open sessions within reach. */
export const SessionsList = Schema.Struct({ size: Schema.Int, sessions: Schema.Array(Session) }).annotate({
  identifier: "SessionsList",
  description: "The open sessions, oldest first."
})

/** A link that signs a browser in once. */
export const SignInLink = Schema.Struct({ url: Schema.String, expires_at: Timestamp }).annotate({
  identifier: "SignInLink",
  description: "A link that signs a browser in once, with the key of the request."
})
