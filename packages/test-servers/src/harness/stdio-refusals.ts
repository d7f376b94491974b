/** Responses to an unknown method, as stdio servers of the 2025 revisions give them. */
export const stdioRefusals = [
  'error -32601',
  'error of another code',
  'error without an id',
  'a line of text',
  'silence',
  'exit',
] as const;

export type StdioRefusal = (typeof stdioRefusals)[number];
