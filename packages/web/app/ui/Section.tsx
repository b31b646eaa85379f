/** A titled part of a page. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { comesBack } from "../Router.ts"

export const Section = (props: {
  readonly title: string
  readonly children: ComponentChildren
  readonly aside?: ComponentChildren
  readonly hint?: ComponentChildren
  readonly class?: string
}) => {
  const id = useId()
  return (
    <section class={`card ${props.class ?? ""}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{props.title}</h2>
        {props.aside === undefined ? null : <div class="card-aside">{props.aside}</div>}
      </header>
      {props.hint === undefined ? null : <p class="hint">{props.hint}</p>}
      {props.children}
    </section>
  )
}

/** The heading of a page: it takes the focus when the page is opened, so that a reader hears where they are. */
export const PageTitle = (props: { readonly children: ComponentChildren; readonly class?: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  // A heading that mounts after the answer gets the focus too, unless the user has moved on.
  useEffect(() => {
    if (document.activeElement === document.body && !comesBack()) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} class={props.class ?? ""} tabIndex={-1} id="page-title">
      {props.children}
    </h1>
  )
}
