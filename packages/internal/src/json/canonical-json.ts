/**
 * The canonical text of a JSON value (RFC 8785). Lone surrogates, which the RFC refuses, are escaped: servers send
 * them, and every definition needs a digest. Iterative, so that any depth of nesting works.
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  const steps: Step[] = [toStep(value)];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (typeof step === 'string') parts.push(step);
    else if (Array.isArray(step)) pushArray(steps, step);
    else pushObject(steps, step as Readonly<Record<string, unknown>>);
  }
  return parts.join('');
}

/** Finished text, or a value to write. */
type Step = string | object;

function toStep(value: unknown): Step {
  return typeof value === 'object' && value !== null ? value : (JSON.stringify(value) ?? 'null');
}

/** The last item pushed is written first. */
function pushArray(steps: Step[], items: readonly unknown[]): void {
  steps.push(']');
  for (let index = items.length - 1; index >= 0; index--) {
    steps.push(toStep(items[index]));
    if (index > 0) steps.push(',');
  }
  steps.push('[');
}

function pushObject(steps: Step[], record: Readonly<Record<string, unknown>>): void {
  const keys = Object.keys(record).filter((key) => record[key] !== undefined);
  keys.sort(); // by code units, as RFC 8785 requires
  steps.push('}');
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string;
    steps.push(toStep(record[key]), `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
  }
  steps.push('{');
}
