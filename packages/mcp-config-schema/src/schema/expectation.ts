const prefix = 'Expected ';

/** The error text of a schema: what would have been right. Every schema of a file has one. */
export function expectation(what: string): string {
  return prefix + what;
}

/** What `expectation` was given, out of a zod message. */
export function expectedOf(message: string): string {
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}
