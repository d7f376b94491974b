import { isNamedSecret, isSecretName, type Redactor, secretsIn } from '@x/internal/secrets';
import { createRedactor } from '@x/mcp-config-schema';
import type { Io } from '../command.js';

const mask = '***';

/** Hides values of variables whose names are those of secrets. */
export function environmentRedactor(env: Io['env']): Redactor {
  const values = Object.entries(env).flatMap(([name, value = '']) => (isNamedSecret(name, value) ? [value] : []));
  return createRedactor(values);
}

/**
 * A message without the values that `redactor` knows, values under the names of secrets, and texts with the shape of
 * one, each as `***`.
 */
export function redactMessage(message: unknown, redactor: Redactor): unknown {
  const shaped: unknown = JSON.parse(
    JSON.stringify(message, (key, value: unknown) => {
      if (typeof value !== 'string') return value;
      return isSecretName(key) && !namesOfTokens.has(key) && isNamedSecret(key, value) ? mask : withoutShapes(value);
    }),
  );
  return redactor.redactData(shaped);
}

/** Members of the protocol, which are no secrets. */
const namesOfTokens: ReadonlySet<string> = new Set(['progressToken']);

function withoutShapes(text: string): string {
  let result = '';
  let end = 0;
  for (const range of [...secretsIn(text)].sort((a, b) => a.start - b.start)) {
    if (range.end <= end) continue;
    result += text.slice(end, Math.max(range.start, end)) + mask;
    end = range.end;
  }
  return result + text.slice(end);
}
