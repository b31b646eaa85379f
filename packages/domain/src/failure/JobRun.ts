/** Jobs by name. */

/** A text that is equal for runs of the same job of the same pipeline only. */
export const jobKey = (run: { readonly pipelineName: string; readonly jobName: string }): string =>
  `${run.pipelineName}\0${run.jobName}`
