/** The events of which GitHub runs a commit of the repository itself. All others may be started by, or for, a fork. */
const names: ReadonlySet<string> = new Set([
  "push",
  "schedule",
  "workflow_dispatch",
  "repository_dispatch",
  "merge_group",
  "release",
  "create",
  "deployment"
])

/** Whether GitHub runs a commit of the repository itself for an event of this name. */
export const has = (event: string): boolean => names.has(event)
