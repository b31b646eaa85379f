/** The public badge of a repository or of a test: as others see it, and the line for a readme or an issue. */
import { useState } from "preact/hooks"
import * as Routes from "../data/Routes.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import { Copy } from "./Copy.tsx"

interface Props {
  readonly repository: Places.Repository
  /** The badge of this test instead. */
  readonly testId?: string
}

const absolute = (path: string): string => new URL(href(path), location.href).href

const Shown = ({ repository, testId }: Props) => {
  const [isOff, setIsOff] = useState(false)
  const image = Routes.badge(repository, testId)
  const page = testId === undefined ? Places.overview(repository) : Places.test(repository, testId)
  if (isOff) {
    return (
      <p class="muted">
        Badges are off for this repository: an admin turns them on in the{" "}
        <a href={href(Places.settings(repository))}>settings</a>.
      </p>
    )
  }
  return (
    <>
      <img src={href(image)} alt="The badge as it is now" height="20" onError={() => setIsOff(true)} />
      <Copy
        label="The badge in Markdown"
        text={`[![${testId === undefined ? "Tests" : "Test"}](${absolute(image)})](${absolute(page)})`}
      />
    </>
  )
}

export const BadgeOffer = (props: Props) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="badge-offer" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Badge</summary>
      {isOpen ? <Shown {...props} /> : null}
    </details>
  )
}
