/**
 * The one text of a JSON value: no white space, keys in the order of their code units, numbers and strings as
 * ECMAScript writes them. What RFC 8785 says, but for lone surrogates, which it refuses and which are escaped here: they
 * come from servers, and every definition needs a digest.
 *
 * Without recursion, so that no depth of nesting ends it.
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

/** Finished text, or an array or object that is still to be written. */
type Step = string | object;

function toStep(value: unknown): Step {
  return typeof value === 'object' && value !== null ? value : (JSON.stringify(value) ?? 'null');
}

/** What is pushed last is written first. */
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
  keys.sort(); // by code units, as RFC 8785 wants it
  steps.push('}');
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string;
    steps.push(toStep(record[key]), `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
  }
  steps.push('{');
}
