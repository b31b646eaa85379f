/** The session of the person who is signed in. Its secret is in a cookie that no script can read. */
import type { Wire } from "@lazaret/api"
import * as Fetch from "./data/Fetch.ts"
import * as Resource from "./data/Resource.ts"
import * as Routes from "./data/Routes.ts"
import * as Store from "./Store.ts"

export type Session =
  | { readonly status: "unknown" }
  /** `isEnded`: nobody signed out, but the key does not count any more. */
  | { readonly status: "out"; readonly isEnded: boolean }
  | { readonly status: "unreachable"; readonly failure: Fetch.Failure }
  | { readonly status: "in"; readonly application: Wire.Application }

const session = Store.make<Session>({ status: "unknown" })

/** The session, as far as it is known. */
export const useSession = (): Session => Store.useStore(session)

/** Asks the server whether the cookie still counts. */
export const check = async (): Promise<void> => {
  const answer = await Fetch.get(Routes.application)
  if (Fetch.isFailure(answer)) {
    const before = session.get()
    const isEnded = before.status === "in" || (before.status === "out" && before.isEnded)
    session.set(answer.status === 403 ? { status: "out", isEnded } : { status: "unreachable", failure: answer })
  } else {
    session.set({ status: "in", application: answer.body })
  }
}

let askedAt = Number.NEGATIVE_INFINITY

const askAgainAfter = 5000

/** A key that reaches less is refused here and there; one that was revoked ends the session. */
const checkAgain = (): void => {
  if (performance.now() - askedAt < askAgainAfter) return
  askedAt = performance.now()
  void check()
}

Fetch.onRefusal(checkAgain)

/** Signs in with a key or with the code of a link; what went wrong, or null. */
export const signIn = async (
  credential: { readonly key: string } | { readonly code: string }
): Promise<Fetch.Failure | null> => {
  const answer = await Fetch.send("POST", Routes.signIn, credential)
  if (Fetch.isFailure(answer)) return answer
  Resource.forget()
  session.set({ status: "in", application: answer.body })
  return null
}

/** Signs out, here and in every other tab. */
export const signOut = async (): Promise<void> => {
  await Fetch.send("DELETE", Routes.signOut)
  Resource.forget()
  session.set({ status: "out", isEnded: false })
}
