/** The answer in one sentence, whether it is final, and how many failures have which verdict. */
import * as Format from "../../Format.ts"
import { changeQuery, useQuery } from "../../Router.ts"
import { adviceOf, type Page, verdicts } from "./Words.ts"

const Counts = ({ of: { counts } }: { readonly of: Page }) => {
  const query = useQuery()
  const chosen = query.getAll("verdict")
  const shown = verdicts.filter(([verdict]) => (counts[verdict] ?? 0) > 0 || chosen.includes(verdict))
  if (shown.length === 0) return null
  const toggle = (verdict: string) =>
    changeQuery({
      verdict: chosen.includes(verdict) ? chosen.filter((each) => each !== verdict) : [...chosen, verdict]
    })
  return (
    <ul class="chips" aria-label="Failures by verdict">
      {shown.map(([verdict, words]) => (
        <li key={verdict}>
          <button type="button" class="chip" aria-pressed={chosen.includes(verdict)} onClick={() => toggle(verdict)}>
            <strong>{Format.number(counts[verdict] ?? 0)}</strong> {words}
          </button>
        </li>
      ))}
    </ul>
  )
}

const Advice = ({ of: page }: { readonly of: Page }) => {
  const advice = adviceOf(page)
  return advice === null ? null : (
    <p>
      <strong>What to do:</strong> {advice}
    </p>
  )
}

export const Conclusion = ({ of: page }: { readonly of: Page }) => (
  <section class={`card conclusion ${page.conclusion}`} aria-label="Conclusion">
    <p class="conclusion-sentence">{page.sentence}</p>
    <Advice of={page} />
    {page.complete ? null : (
      <p>
        <strong>Not final:</strong> verdicts may change when more results arrive.
      </p>
    )}
    <Counts of={page} />
  </section>
)
