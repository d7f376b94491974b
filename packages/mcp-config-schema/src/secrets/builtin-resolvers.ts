import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { splitCommand } from '@x/internal/launch';
import { type ProgramEnd, runProgram } from './run-program.js';
import { maxSecretBytes, type SecretContext, type SecretResolver, secretText, unavailable } from './secret-resolver.js';

export const builtinResolvers: Readonly<Record<string, SecretResolver>> = {
  env: environmentSecret,
  file: fileSecret,
  command: commandSecret,
  keychain: keychainSecret(),
};

/** `env:NAME`: an environment variable. */
export function environmentSecret(name: string, { env }: SecretContext): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) throw unavailable(`the variable ${name} is not set`);
  return value;
}

/**
 * `command:LINE`: the standard output of a program, without the last line end, such as `command:op read
 * op://vault/item/field`. No shell. Discards standard error, which may quote the secret. When the program exits, its
 * process group is ended.
 */
export async function commandSecret(line: string, { root, env, signal }: SecretContext): Promise<string> {
  const split = splitCommand(line);
  if ('problem' in split) throw unavailable(`the command line ${split.problem}`);
  const [program, ...args] = split.words;
  if (program === undefined || program === '') throw unavailable('the command line is empty');
  const end = await runProgram(program, args, { cwd: root, env, signal, maxBytes: maxSecretBytes });
  if (end.kind !== 'exited' || end.code !== 0) throw unavailable(`${program} ${howItFailed(end)}`);
  return secretText(end.output, `what ${program} wrote`);
}

function howItFailed(end: ProgramEnd): string {
  switch (end.kind) {
    case 'not-started':
      return end.code === 'ENOENT' ? 'was not found' : `could not be started: ${end.code}`;
    case 'too-much':
      return `wrote more than ${maxSecretBytes} bytes`;
    case 'killed':
      return `was ended by ${end.signal}`;
    case 'exited':
      return `ended with exit code ${end.code}; run it by hand to see why`;
  }
}

/** Container platforms mount secrets here, readable for all users of the container. */
const mountedSecrets = /^\/(var\/)?run\/secrets\//;

/**
 * `file:PATH`: the text of a file of at most 64 KiB, without the last line end. `~/` is the home directory; other
 * relative paths start at `root`. Other users must not be able to read or change the file. Windows, `/run/secrets/` and
 * `/var/run/secrets/` are exempt from that check.
 */
export async function fileSecret(written: string, { root, env, signal }: SecretContext): Promise<string> {
  const path = resolve(
    root,
    written.replace(/^~(?=[/\\])/, () => env.HOME ?? env.USERPROFILE ?? homedir()),
  );
  // Nonblocking, because opening a named pipe would wait for a writer.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw unavailable(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be opened: ${code}`, cause);
  });
  const found = await file.stat();
  if (!found.isFile()) throw unavailable(`${path} is not a file`);
  if (found.size > maxSecretBytes) throw unavailable(`${path} has more than ${maxSecretBytes} bytes`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0 && !mountedSecrets.test(path)) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
    throw unavailable(`${path} can be read or changed by other users (mode ${mode}); run "chmod 600" on it`);
  }
  signal.throwIfAborted();
  const buffer = Buffer.alloc(maxSecretBytes + 1);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  return secretText(buffer.subarray(0, bytesRead), path);
}

/** Access to the system's keychain. */
export interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    /** `null` or `undefined` if the entry does not exist. */
    getPassword(signal?: AbortSignal): Promise<string | null | undefined>;
  };
}

/**
 * `keychain:SERVICE/ACCOUNT`: an entry of the system's keychain. Imports `@napi-rs/keyring` on first use; the program
 * must install it.
 *
 * @param load - Default: imports `@napi-rs/keyring`.
 */
export function keychainSecret(load: () => Promise<Keyring> = importKeyring): SecretResolver {
  return async (rest: string, { signal }: SecretContext) => {
    const slash = rest.indexOf('/');
    const [service, account] = [rest.slice(0, slash), rest.slice(slash + 1)];
    if (slash < 1 || account === '') throw unavailable(`"${rest}" does not name a service and an account`);
    const { AsyncEntry } = await load().catch((cause: unknown) => {
      throw unavailable('the keychain needs @napi-rs/keyring, which is not installed', cause);
    });
    const value = await new AsyncEntry(service, account).getPassword(signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unavailable('the keychain of this system cannot be reached, or denied access to the entry', cause);
    });
    if (value === null || value === undefined) {
      throw unavailable(`the keychain has no account "${account}" of service "${service}"`);
    }
    return value;
  };
}

/** With `catch`, bundlers accept that the optional package is not installed. */
function importKeyring(): Promise<Keyring> {
  return import('@napi-rs/keyring').catch((error: unknown) => Promise.reject(error));
}
