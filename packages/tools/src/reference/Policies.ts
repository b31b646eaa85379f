/** The numbers of the policies: a page of the reference, and the data of the settings form. */
import type { Policy } from "@lazaret/domain"
import { String } from "effect"
import * as Markdown from "./Markdown.ts"

/** Every policy under its name in the domain. */
export type Policies = Readonly<Record<string, { readonly title: string; readonly fields: Policy.Fields }>>

/** Builds the page: a table per policy. */
export const page = (policies: Policies): string =>
  Markdown.page([
    "# Policies",
    Markdown.generated,
    `The numbers that decide health, outages, recovery and automatic quarantine. Each repository can override each of them, in the
settings of the dashboard or with \`lazaret repo set health.clean_passes=20\`.`,
    ...Object.entries(policies).flatMap(([name, { fields, title }]) => [
      `## ${title}`,
      Markdown.table(
        ["Setting", "Default", "From", "To", "Decides", "Reason for the default"],
        Object.entries(fields).map(([field, each]) => [
          Markdown.code(`${String.camelToSnake(name)}.${String.camelToSnake(field)}`),
          `${each.default}`,
          `${each.minimum}`,
          `${each.maximum}`,
          each.title,
          each.reason
        ])
      )
    ])
  ])

/** Builds the data of the settings form: the same numbers under their names on the wire. */
export const form = (policies: Policies): string => {
  const shown = Object.entries(policies).map(([name, { fields, title }]) => ({
    name: String.camelToSnake(name),
    title,
    fields: Object.entries(fields).map(([field, each]) => ({
      name: String.camelToSnake(field),
      label: each.title,
      reason: each.reason,
      fallback: each.default,
      most: each.maximum
    }))
  }))
  return `${JSON.stringify(shown, null, 2)}\n`
}
