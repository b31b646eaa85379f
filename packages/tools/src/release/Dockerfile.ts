/** The steps of a `Dockerfile` of two stages. */

/** The commands of the first stage, for a shell, and the paths that the second stage copies from it, relative to its working directory. */
export interface Dockerfile {
  readonly steps: ReadonlyArray<string>
  readonly copied: ReadonlyArray<string>
}

/** The steps that a text says; a text of another form throws. */
export const parse = (text: string): Dockerfile => {
  const instructions = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n")
  const second = instructions.findLastIndex((each) => each.startsWith("FROM "))
  const place = instructions.find((each) => each.startsWith("WORKDIR "))?.slice("WORKDIR ".length)
  const steps = instructions
    .slice(0, second)
    .filter((each) => each.startsWith("RUN "))
    .map((each) => each.replace(/^RUN (--\S+ +)*/, "").trim())
  const copied = instructions.slice(second).flatMap((each) => {
    const sources = /^COPY --from=build (.+) \S+$/.exec(each)?.[1]?.trim().split(/ +/) ?? []
    return sources.map((source) => source.slice(`${place}/`.length))
  })
  if (second < 1 || place === undefined || steps.length === 0 || copied.length === 0) {
    throw new Error("the Dockerfile has no two stages of which the second copies from the first")
  }
  return { steps, copied }
}
