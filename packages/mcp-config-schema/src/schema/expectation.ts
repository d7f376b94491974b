const prefix = 'Expected ';

/** Error text of a schema for `expectedOf`. Every schema of a file has one. */
export function expectation(what: string): string {
  return prefix + what;
}

export function expectedOf(message: string): string {
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}
