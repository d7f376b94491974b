import type { SecretContext } from './secret-resolver.js';
import { unavailable } from './secret-text.js';

/** `env:NAME`: an environment variable. */
export function environmentSecret(name: string, { env }: SecretContext): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) throw unavailable(`the variable ${name} is not set`);
  return value;
}
