/** Number of characters of `before` that `after` lacks. Expects one insertion, plus optionally a comma before it. */
export function charactersLost(before: string, after: string): number {
  const start = commonPrefix(before, after);
  const withoutComma = after[start] === ',' ? after.slice(0, start) + after.slice(start + 1) : after;
  return Math.min(lostAtOnePlace(before, after), lostAtOnePlace(before, withoutComma));
}

function lostAtOnePlace(before: string, after: string): number {
  const start = commonPrefix(before, after);
  let end = 0;
  while (end < before.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return before.length - start - end;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** True if `whole` contains all of `part`, in order. */
export function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (let index = 0; index < whole.length && at < part.length; index += 1) if (whole[index] === part[at]) at += 1;
  return at === part.length;
}

/** True if `after` contains all of `before` in order, except for one occurrence of `replaced`. */
export function keepsAllBut(replaced: string, before: string, after: string): boolean {
  for (let at = before.indexOf(replaced); at !== -1; at = before.indexOf(replaced, at + 1)) {
    if (isSubsequence(before.slice(0, at) + before.slice(at + replaced.length), after)) return true;
  }
  return false;
}

/** Comments of a generated document, all different. */
export function commentsIn(text: string): readonly string[] {
  return text.match(/\bc\d+\b/g) ?? [];
}
