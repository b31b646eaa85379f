/** A commit or a pull request, as a link to its failures. */
import * as Format from "../Format.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"

interface Props {
  readonly repository: Places.Repository
}

export const CommitLink = ({ commit, repository }: Props & { readonly commit: string }) => (
  <a class="mono" href={href(Places.failures(repository, { kind: "commit", id: commit }))} title="Its failures">
    {Format.commit(commit)}
  </a>
)

export const PullLink = (props: Props & { readonly of: { readonly number: number; readonly title: string } }) => (
  <a
    href={href(Places.failures(props.repository, { kind: "pull", id: String(props.of.number) }))}
    title="Its latest failures"
  >
    #{props.of.number} {props.of.title}
  </a>
)
