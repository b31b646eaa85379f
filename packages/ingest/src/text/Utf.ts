/** Unicode text from bytes that arrive in pieces. */

/** Turns bytes into text; what is not valid becomes U+FFFD. */
export interface Utf {
  readonly write: (bytes: Uint8Array) => string
  readonly end: () => string
}

/** The encoding that a text begins with: PowerShell writes UTF-16 with a byte order mark when it redirects. */
export const labelOf = (first: number, second: number): "utf-8" | "utf-16le" | "utf-16be" => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

/** A decoder of UTF-8, or of UTF-16 with a byte order mark. */
export const make = (): Utf => {
  let held: ReadonlyArray<number> = []
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const started = (): InstanceType<typeof TextDecoder> =>
    (decoder ??= new TextDecoder(labelOf(held[0] ?? 0, held[1] ?? 0)))
  const write = (bytes: Uint8Array): string => {
    if (decoder !== undefined) return decoder.decode(bytes, { stream: true })
    if (held.length + bytes.length < 2) {
      held = [...held, ...bytes]
      return ""
    }
    const first = Uint8Array.from(held)
    held = [...held, ...bytes.subarray(0, 2)]
    return started().decode(first, { stream: true }) + started().decode(bytes, { stream: true })
  }
  return {
    write,
    end: () => (decoder === undefined ? started().decode(Uint8Array.from(held)) : decoder.decode())
  }
}
