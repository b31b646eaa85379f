/** Converts the run fields of a report to a run context. */
import { TestIdentity } from "@lazaret/domain"
import * as Excerpt from "../text/Excerpt.ts"
import * as FailureText from "../text/FailureText.ts"
import * as Names from "./Names.ts"
import type { Hints } from "../text/Parsed.ts"

/**
 * The run context from texts that may be missing, blank or too long.
 *
 * **Details**
 *
 * Blank is missing. Pipeline and job stay unique when they are truncated. A link that is too long, or not http(s), is
 * dropped, because users click on it.
 */
export const make = (texts: { readonly [Key in keyof Hints]?: string | undefined }): Hints => {
  const pipelineName = name(texts.pipelineName)
  const jobName = name(texts.jobName)
  const branch = short(texts.branch?.replace(/^refs\/heads\//, ""))
  const baseBranch = short(texts.baseBranch?.replace(/^refs\/heads\//, ""))
  const commit = short(texts.commit)
  const runId = short(texts.runId)
  const runAttempt = whole(texts.runAttempt)
  const jobUrl = link(texts.jobUrl)
  const framework = short(texts.framework)
  const frameworkVersion = short(texts.frameworkVersion)
  const language = short(texts.language)
  return {
    ...(pipelineName === undefined ? {} : { pipelineName }),
    ...(jobName === undefined ? {} : { jobName }),
    ...(branch === undefined ? {} : { branch }),
    ...(baseBranch === undefined ? {} : { baseBranch }),
    ...(commit === undefined ? {} : { commit }),
    ...(runId === undefined ? {} : { runId }),
    ...(runAttempt === undefined ? {} : { runAttempt }),
    ...(jobUrl === undefined ? {} : { jobUrl }),
    ...(framework === undefined ? {} : { framework }),
    ...(frameworkVersion === undefined ? {} : { frameworkVersion }),
    ...(language === undefined ? {} : { language })
  }
}

const present = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : FailureText.storable(text)

const name = (text: string | undefined): string | undefined => {
  const known = present(text)
  return known === undefined ? undefined : Excerpt.owned(Names.fit(known, TestIdentity.maximumNameLength))
}

const short = (text: string | undefined): string | undefined => {
  const known = present(text)?.trim()
  return known === undefined ? undefined : Excerpt.owned(Excerpt.ofCodePoints(known, 255))
}

const whole = (text: string | undefined): number | undefined => {
  const value = /^\s*\d{1,10}\s*$/.test(text ?? "") ? Number(text) : Number.NaN
  return value <= 2_147_483_647 ? value : undefined
}

const link = (text: string | undefined): string | undefined => {
  const known = present(text)?.trim()
  return known !== undefined && known.length <= 2048 && /^https?:\/\//i.test(known) ? known : undefined
}
