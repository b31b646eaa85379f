/** A browser that signs people in, and keeps the cookies of each site. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A port that nothing listens on now. */
export const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(free)))
  })
})

/** A browser: follows no redirect by itself, and keeps the cookies of each site. */
export const browser = (person: string) => {
  const jar = new Map<string, string>([["person", person]])
  const get = async (url: string, init: RequestInit = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(url, { redirect: "manual", ...init, headers: { cookie, ...init.headers } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(set) ?? []
      if (value === "" || /Max-Age=0/iu.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const locationOf = (answer: Response, from: string) => new URL(answer.headers.get("location") ?? "", from).href
  /** Follows redirects until an address begins with `until`. */
  const follow = async (start: string, until: string): Promise<string> => {
    let url = start
    for (let step = 0; step < 10 && !url.startsWith(until); step += 1) url = locationOf(await get(url), url)
    return url
  }
  return { get, follow, jar, locationOf }
}

/** The addresses of a provider at the server. */
export interface Way {
  readonly start: string
  readonly callback: string
}

const oidc: Way = { start: "/sign-in/with-provider", callback: "/sign-in/callback" }

/** The addresses of GitHub at the server. */
export const gitHub: Way = { start: "/sign-in/with-github", callback: "/sign-in/github/callback" }

/** Signs a person in with a provider; yields the browser, and the address to which it was led at the end. */
export const signIn = async (
  { url }: { readonly url: string },
  person: string,
  back = "/acme/widgets?x=1",
  { callback: end, start }: Way = oidc
) => {
  const visitor = browser(person)
  const callback = await visitor.follow(`${url}${start}?return=${encodeURIComponent(back)}`, `${url}${end}`)
  const answer = await visitor.get(callback)
  return { ...visitor, callback, end: visitor.locationOf(answer, url) }
}

/** Why nobody was signed in, as the address says it. */
export const failureIn = (end: string) => new URL(end).searchParams.get("failure") ?? ""
