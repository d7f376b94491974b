/** By the rules of every system, because a config file may be read on any. */
export function staysInside(path: string): boolean {
  if (/^[/\\]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return goesDown(path.split('/')) && goesDown(path.split(/[/\\]/));
}

function goesDown(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue;
    // Windows removes trailing dots and spaces, so `..  ` may mean the parent folder.
    depth += /^\.\.[. ]*$/.test(segment) ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth > 0;
}

/** Compares by segment. */
export function liesIn(path: string, folder: string, separator: string): boolean {
  const outer = folder.split(separator).filter(Boolean);
  const inner = path.split(separator).filter(Boolean);
  return inner.length > outer.length && outer.every((segment, index) => segment === inner[index]);
}
