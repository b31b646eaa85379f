/** Text that is typed, once it rests. */
import { useEffect, useState } from "preact/hooks"

/** The milliseconds after the last key. */
const wait = 200

/** The typed text, a moment after the last key: a question for every key would hurry the server. */
export const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), wait)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
