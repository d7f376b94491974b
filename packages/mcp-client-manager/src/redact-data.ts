/** Deeper data than this is left out: nobody reads it, and it may have been made to exhaust the stack. */
const maxDepth = 50;

/** The same plain data with `redact` over every text and key in it. */
export function redactData(data: unknown, redact: (text: string) => string): unknown {
  return redactTo(data, redact, 0);
}

function redactTo(data: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof data === 'string') return redact(data);
  if (typeof data !== 'object' || data === null) return data;
  if (depth === maxDepth) return '[nested too deeply]';
  if (Array.isArray(data)) return data.map((entry) => redactTo(entry, redact, depth + 1));
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [redact(key), redactTo(value, redact, depth + 1)]),
  );
}
