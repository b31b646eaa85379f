/** Time that runs faster than that of the machine, equal in every process that gets the same variables. */

/** The time in milliseconds, and how many times faster it runs. */
export interface ScaledTime {
  readonly speed: number
  readonly now: () => number
}

/** The variables of a time that begins now. */
export const begin = (speed: number): Readonly<Record<string, string>> => ({
  STORY_SPEED: String(speed),
  STORY_ORIGIN: String(Date.now())
})

/** The time that variables describe. */
export const of = (env: Readonly<Record<string, string | undefined>>): ScaledTime => {
  const [speed, origin] = [Number(env["STORY_SPEED"]), Number(env["STORY_ORIGIN"])]
  return { speed, now: () => Math.round(origin + (Date.now() - origin) * speed) }
}
