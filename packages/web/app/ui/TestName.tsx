/** The name of a test: it may break where its parts meet, and nowhere else unless it must. */
import { Fragment } from "preact"

const joints = /(?<=[/›>:_.])(?=[^/›>:_.\s])|(?<=[a-z])(?=[A-Z])/u

export const TestName = ({ name }: { readonly name: string }) => (
  <span class="test-name">
    {name.split(joints).map((part, index) => (
      <Fragment key={index}>
        {index === 0 ? null : <wbr />}
        {part}
      </Fragment>
    ))}
  </span>
)
