/** A sentence of the server, with the names of settings and commands in it as code. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
)
