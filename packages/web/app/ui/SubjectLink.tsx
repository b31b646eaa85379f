/** A commit, a run or a pull request: as a link to its failures here, and to itself at the hosting platform. */
import * as Format from "../Format.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import { CommitSource, PullSource } from "./Source.tsx"

interface Props {
  readonly repository: Places.Repository
}

export const CommitLink = ({ commit, repository }: Props & { readonly commit: string }) => (
  <span class="subject">
    <a class="mono" href={href(Places.failures(repository, { kind: "commit", id: commit }))} title="Its failures">
      {Format.commit(commit)}
    </a>
    <CommitSource repository={repository} commit={commit} />
  </span>
)

export const PullLink = (props: Props & { readonly of: { readonly number: number; readonly title: string } }) => (
  <span class="subject">
    <a
      href={href(Places.failures(props.repository, { kind: "pull", id: String(props.of.number) }))}
      title="Its latest failures"
    >
      #{props.of.number} {props.of.title}
    </a>
    <PullSource repository={props.repository} number={props.of.number} />
  </span>
)
