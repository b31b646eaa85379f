/** A registry of npm on this machine that has what a lock file names and a cache holds, and nothing else. */
import { createReadStream, existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Lock from "../Lock.ts"

/** The answer of a registry about a name. */
export interface Packument {
  readonly name: string
  readonly "dist-tags": { readonly latest: string }
  readonly versions: Readonly<Record<string, unknown>>
}

/**
 * The answers that a lock file can give, by name. The version that is met last counts as the latest; tarballs are named by `base`, a path
 * below the registry.
 */
const packuments = (lock: Lock.Lock, base: string): ReadonlyMap<string, Packument> => {
  const all = new Map<string, Packument>()
  for (const [path, locked] of Object.entries(lock.packages)) {
    const { integrity, version } = locked
    if (integrity === undefined || version === undefined) continue
    const name = Lock.nameOf(path, locked)
    const tarball = `${base}/${encodeURIComponent(integrity)}.tgz`
    const versions = {
      ...all.get(name)?.versions,
      [version]: { ...locked, name, version, dist: { integrity, tarball } }
    }
    all.set(name, { name, "dist-tags": { latest: version }, versions })
  }
  return all
}

/** The file of a cache of npm with the content of a checksum such as `sha512-…`. */
export const contentOf = (cache: string, integrity: string): string => {
  const [algorithm = "", digest = ""] = integrity.split("-", 2)
  const hex = Buffer.from(digest, "base64").toString("hex")
  return join(cache, "_cacache/content-v2", algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4))
}

/** A registry that answers: its address, and how it ends. */
export interface Registry {
  readonly url: string
  readonly close: () => void
}

/** Starts a registry on a free port of the loopback address. */
export const start = (lock: Lock.Lock, cache: string): Promise<Registry> =>
  new Promise((resolve) => {
    const server = createServer(({ url = "/" }, response) => {
      const name = decodeURIComponent(url.slice(1))
      if (name.startsWith("tarballs/")) {
        const file = contentOf(cache, decodeURIComponent(name.slice("tarballs/".length, -".tgz".length)))
        if (existsSync(file)) return void createReadStream(file).pipe(response)
      }
      const packument = known.get(name)
      response.statusCode = packument === undefined ? 404 : 200
      response.end(JSON.stringify(packument ?? { error: `the lock file has no ${name}` }))
    })
    let known: ReadonlyMap<string, Packument> = new Map()
    server.listen(0, "127.0.0.1", () => {
      // A server that listens on a port has an address.
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      known = packuments(lock, `${url}/tarballs`)
      resolve({ url, close: () => server.close() })
    })
  })
