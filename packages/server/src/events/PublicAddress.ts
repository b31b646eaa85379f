/** Addresses that only the network of the server reaches, and a way to look names up that never yields one. */
import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** This machine, private networks, link-local and shared addresses, tunnels to them, and groups (IANA registries). */
const reserved = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/9",
  "ff00::/8"
].map(IpNetwork.fromStringUnsafe)

/** Whether an IP address is one of the internet. An IPv4 address written as an IPv6 one is judged as itself. */
export const isPublic = (text: string): boolean =>
  Result.match(NetAddress.ipFromString(text), {
    onFailure: () => false,
    onSuccess: (ip) => {
      const address = NetAddress.toCanonical(ip)
      return !reserved.some((network) => IpNetwork.contains(network, address))
    }
  })

/** The code of the error for a name without a public address, or an address that is not public. */
export const refused = "LAZARET_PRIVATE_ADDRESS"

/** Whether the host of a URL is an IP address that is not public. A name is looked up when a connection is made. */
export const isRefusedHost = (url: string): boolean => {
  const host = (URL.parse(url)?.hostname ?? "").replace(/^\[(.*)\]$/u, "$1")
  return Result.isSuccess(NetAddress.ipFromString(host)) && !isPublic(host)
}

/** Looks a name up as a connection does, and yields its public addresses only, so that no later answer can differ. */
export const lookupPublic: LookupFunction = (name, options, callback) =>
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, "")
    const addresses = found.filter(({ address }) => isPublic(address))
    const [first] = addresses
    if (first === undefined) {
      return callback(Object.assign(new Error(`${name} has no public address`), { code: refused }), "")
    }
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
  })
