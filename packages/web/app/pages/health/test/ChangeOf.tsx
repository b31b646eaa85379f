/** The commits among which a test began to fail, with the way to their comparison at the hosting platform. */
import type { Wire } from "@lazaret/api"
import * as Format from "../../../Format.ts"

export const ChangeOf = ({ of: { intervals, sentence } }: { readonly of: Wire.FoundChange }) => (
  <p>
    {Format.capitalized(sentence)}.
    {intervals.map(({ commits, level, url }) => {
      const text = `${Format.percent(level)}: ${Format.plural(commits, "commit")}`
      return (
        <span key={level} class="muted">
          {" · "}
          {url === null ? (
            text
          ) : (
            <a href={url} rel="noreferrer">
              {text}
            </a>
          )}
        </span>
      )
    })}
  </p>
)
