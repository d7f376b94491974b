const plainSubject = /^[A-Za-z0-9_=-]+(\.[A-Za-z0-9_=-]+)*$/;
const subjectPattern = /^([A-Za-z0-9_=-]+|\*)(\.([A-Za-z0-9_=-]+|\*))*(\.>)?$|^>$/;

/** Rejects malformed subjects and keys. In a line protocol, a space could start another command. */
export function checkSubject(subject: string, what: 'key' | 'replyTo' | 'subject' = 'subject'): void {
  if (plainSubject.test(subject)) return;
  throw new TypeError(`${what} must be tokens of A-Z, a-z, 0-9, _, - and =, joined by dots, got ${quoted(subject)}`);
}

/** Like `checkSubject`, with `*` for one token and a final `>` for all that follow. */
export function checkSubjectPattern(pattern: string): void {
  if (subjectPattern.test(pattern)) return;
  throw new TypeError(
    `subject must be tokens of A-Z, a-z, 0-9, _, - and =, or *, joined by dots, with > at most at the end, got ${quoted(pattern)}`,
  );
}

export function matchesSubject(pattern: string, subject: string): boolean {
  const expected = pattern.split('.');
  const tokens = subject.split('.');
  for (const [index, token] of expected.entries()) {
    if (token === '>') return tokens.length > index;
    if (index >= tokens.length || (token !== '*' && token !== tokens[index])) return false;
  }
  return tokens.length === expected.length;
}

/** True if `outer` matches every subject that `inner` matches. */
export function containsPattern(outer: string, inner: string): boolean {
  const expected = outer.split('.');
  const tokens = inner.split('.');
  for (const [index, token] of expected.entries()) {
    if (token === '>') return tokens.length > index;
    const other = tokens[index];
    if (other === undefined || other === '>' || (token !== '*' && token !== other)) return false;
  }
  return tokens.length === expected.length;
}

function quoted(text: unknown): string {
  return (
    JSON.stringify(typeof text === 'string' && text.length > 100 ? `${text.slice(0, 100)}…` : text) ?? String(text)
  );
}
