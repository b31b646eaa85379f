import { conforms } from "./conforms.ts"

conforms("rest")
