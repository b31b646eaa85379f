/** The states of an answer that is not there yet, is empty, or did not come: always with what to do next. */
import type { ComponentChildren } from "preact"
import type { Answer, Failure } from "../data/Fetch.ts"
import type { Resource } from "../data/Resource.ts"

/** Grey lines where text will be. */
export const Loading = ({ lines = 3 }: { readonly lines?: number }) => (
  <div class="loading" role="status">
    <span class="visually-hidden">Loading…</span>
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} class="line" />
    ))}
  </div>
)

/** A page before its answers are there, as high as a page. */
export const PageSkeleton = ({ title }: { readonly title?: ComponentChildren }) => (
  <div class="page-skeleton" role="status">
    {title}
    <span class="visually-hidden">Loading…</span>
    <div class="card" aria-hidden="true">
      <div class="line" />
      <div class="line" />
    </div>
    <div class="card" aria-hidden="true">
      <div class="line" />
      <div class="line" />
      <div class="line" />
      <div class="line" />
    </div>
  </div>
)

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="state">
    <p class="state-title">{title}</p>
    <div class="muted">{children}</div>
  </div>
)

const notForThisKey =
  "The key that you signed in with may not read this. Sign in with an admin key of this owner to see it."

/** The filters of an address that a route did not take, as people name them. */
const namesOf = ({ faults }: Failure): ReadonlyArray<string> => [
  ...new Set((faults ?? []).map(({ location: where }) => (where.split(".")[1] ?? where).replaceAll("_", " ")))
]

/** A link that somebody typed or that is from another version. */
const BadLink = ({ failure }: { readonly failure: Failure }) => {
  const names = namesOf(failure)
  const what = names.length === 0 ? "Something in its address" : `Its ${names.join(", its ")}`
  return (
    <Empty title="This link is not quite right">
      <p>{what} is not one that this page knows.</p>
      <p>
        <a href={location.pathname}>Open the page without it</a>
      </p>
    </Empty>
  )
}

export const Failed = ({ failure, retry }: { readonly failure: Failure; readonly retry?: () => void }) => {
  if (failure.status === 404) return <Empty title="Nothing is here">{failure.detail}</Empty>
  if (failure.status === 422) return <BadLink failure={failure} />
  if (failure.status === 403) return <Empty title="Not for this key">{notForThisKey}</Empty>
  return (
    <div class="state failed" role="alert">
      <p class="state-title">{failure.title}</p>
      <p class="muted">{failure.detail}</p>
      {retry === undefined ? null : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** An answer, or what stands in its place. */
export const Loaded = <A,>(props: {
  readonly of: Resource<A>
  readonly lines?: number
  /** A stand-in of the same height, so that nothing moves when the answer comes. */
  readonly skeleton?: ComponentChildren
  readonly children: (body: A, answer: Answer<A>) => ComponentChildren
}) => {
  const { children, of } = props
  if (of.status === "loading") return <>{props.skeleton ?? <Loading lines={props.lines ?? 3} />}</>
  if (of.status === "failed") return <Failed failure={of.failure} retry={of.retry} />
  return (
    <div class={of.isStale ? "stale" : ""} aria-busy={of.isStale}>
      {children(of.answer.body, of.answer)}
    </div>
  )
}
