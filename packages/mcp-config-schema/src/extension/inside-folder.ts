/**
 * Whether a relative path names something in the folder that it starts from. Judged by the rules of every system at
 * once, because a file that names it may be read on any of them.
 */
export function staysInside(path: string): boolean {
  if (/^[/\\]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return goesDown(path.split('/')) && goesDown(path.split(/[/\\]/));
}

function goesDown(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue;
    // Windows drops dots and spaces from the end of a name, so that `..  ` may mean the folder above.
    depth += /^\.\.[. ]*$/.test(segment) ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth > 0;
}

/** Whether a real path lies in a real folder, compared segment by segment. */
export function liesIn(path: string, folder: string, separator: string): boolean {
  const outer = folder.split(separator).filter(Boolean);
  const inner = path.split(separator).filter(Boolean);
  return inner.length > outer.length && outer.every((segment, index) => segment === inner[index]);
}
