import { relative } from 'node:path';
import type { HostInput } from '@x/mcp-host-sync';
import { CommandError, exitCodes, type Io } from '../command.js';
import { askOne, askSecret, askText } from '../output/ask.js';
import { printNote } from '../output/fit.js';
import { printable, printableLine } from '../output/print.js';
import { type KeyStore, keychainService } from '../signing-in/key-store.js';
import { addToEnvFile, namesInEnvFile } from './env-text.js';
import type { ServerEntry } from './host-entry.js';
import type { ImportedServers } from './read-hosts.js';
import type { RemovedSecret } from './without-secrets.js';

type Values = Readonly<Record<string, string>>;

/** What a config contains once the user was asked for values. */
export interface FilledServers {
  /** Refer to the keychain where it has the value. */
  readonly servers: Readonly<Record<string, object>>;
  /** Variables that the servers still have. */
  readonly secrets: readonly RemovedSecret[];
  /** Those of `secrets` that have no value yet. */
  readonly unset: readonly RemovedSecret[];
  /** Writes the values that are not in the keychain into the `.env` file, and prints where all of them are. */
  keepRest(): Promise<void>;
}

/**
 * Asks for the values of the variables that replace secrets and inputs, and stores those for which a reference can stand
 * in the keychain, if the user wants that.
 *
 * @param envFile - Absolute path of the `.env` file for the other values. Variables that it has are not asked for.
 */
export async function fillValues(imported: ImportedServers, envFile: string, io: Io): Promise<FilledServers> {
  const known = await namesInEnvFile(envFile);
  const values = await askValues(imported, (name) => io.env[name] !== undefined || known.has(name), io);
  const kept = await keepInKeychain(imported.servers, values, io);
  const secrets = imported.secrets.filter(({ variable }) => !kept?.variables.has(variable));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !kept?.variables.has(name)));
  return {
    servers: kept?.servers ?? imported.servers,
    secrets,
    unset: secrets.filter(({ variable }) => values[variable] === undefined && !known.has(variable)),
    keepRest: async () => {
      const added = Object.keys(others).length === 0 ? [] : await addToEnvFile(envFile, others);
      const shown = printable(relative(io.cwd, envFile));
      if (added.length > 0) printNote(`Wrote ${added.join(', ')} to ${shown}. Add the file to .gitignore.`, io);
      if (kept) printNote(`Wrote ${[...kept.variables].join(', ')} to the keychain.`, io);
    },
  };
}

/** An input is asked for as its host app does. */
async function askValues(
  { secrets, prompts }: ImportedServers,
  isKnown: (variable: string) => boolean,
  io: Io,
): Promise<Values> {
  const values: Record<string, string> = {};
  const variables = new Map(secrets.map((secret) => [secret.variable, secret]));
  for (const [variable, secret] of variables) {
    if (isKnown(variable)) continue;
    const value = await askValue(secret, prompts.get(secret), io);
    if (value !== undefined && value !== '') values[variable] = value;
  }
  return values;
}

const maxLength = 300;

async function askValue(
  { variable, server, place }: RemovedSecret,
  prompt: HostInput | undefined,
  io: Io,
): Promise<string | undefined> {
  const about = prompt?.description === undefined ? '' : `\n${prompt.description}`;
  const question = `Value of ${variable}, for ${place} of ${server}`;
  const { options, isSecret = true, default: fallback } = prompt ?? {};
  if (options !== undefined) {
    const choices = options.map((option, index) => ({ value: String(index), label: shown(option) }));
    const later = { value: '', label: '(set it later)' };
    const initial = fallback === undefined ? -1 : options.indexOf(fallback);
    const ask = { initial: String(Math.max(initial, 0)) };
    const answer = await askOne(shown(question) + shownBelow(about), [...choices, later], io, ask);
    return answer === '' ? undefined : options[Number(answer)];
  }
  const message = shown(`${question} (enter to set it later)`) + shownBelow(about);
  if (isSecret) return askSecret(message, io);
  return askText(message, io, { check: () => undefined });
}

function shown(text: string): string {
  return printableLine(text, maxLength) || '(empty)';
}

function shownBelow(text: string): string {
  return text === '' ? '' : `\n${printableLine(text, maxLength)}`;
}

/** What a config contains of values that are in the keychain. */
interface KeptValues {
  readonly servers: Readonly<Record<string, object>>;
  /** Variables whose values the keychain has. */
  readonly variables: ReadonlySet<string>;
}

/** Servers whose entries refer to the keychain, and the variables that they no longer have. Undefined: the user wants `.env`. */
async function keepInKeychain(
  servers: ImportedServers['servers'],
  values: Values,
  io: Io,
): Promise<KeptValues | undefined> {
  const possible = Object.keys(values).filter((name) => withReference(servers, name, {}) !== undefined);
  const [first] = possible;
  const store = first === undefined ? undefined : await usableStore(first, io);
  if (store === undefined) return undefined;
  const all = Object.keys(values).length;
  const hint =
    possible.length === all ? 'a reference in the config' : `${possible.length} of ${all}, the others in .env`;
  const targets = [
    { value: 'keychain', label: 'In the keychain of this system', hint },
    { value: '.env', label: 'In .env beside the config' },
  ] as const;
  if ((await askOne('Where do you want to store what you typed?', targets, io)) === '.env') return undefined;
  let changed: KeptValues['servers'] = servers;
  for (const name of possible) {
    const account = await store(name, values[name] ?? '');
    changed = withReference(changed, name, { secret_ref: `keychain:${keychainService}/${account}` }) ?? changed;
  }
  return { servers: changed, variables: new Set(possible) };
}

/** `undefined` if the variable is also a part of a text, or an argument, where no reference can be. */
function withReference(
  servers: Readonly<Record<string, ServerEntry | object>>,
  variable: string,
  reference: object,
): Readonly<Record<string, object>> | undefined {
  const written = `\${${variable}}`;
  const changed = structuredClone(servers) as Record<string, ServerEntry>;
  for (const { env = {}, headers = {} } of Object.values(changed)) {
    for (const texts of [env, headers] as Record<string, string | object>[]) {
      for (const [key, text] of Object.entries(texts)) if (text === written) texts[key] = { ...reference };
    }
  }
  return JSON.stringify(changed).includes(written) ? undefined : changed;
}

/** Stores a value and returns its account. Replaces no other value. */
type StoreValue = (name: string, value: string) => Promise<string>;

/** `undefined` if this system has no keychain, or none that can be reached. */
async function usableStore(name: string, { keyStore }: Io): Promise<StoreValue | undefined> {
  let store: KeyStore;
  try {
    if (keyStore === undefined) return undefined;
    store = await keyStore();
    await store.read(name);
  } catch {
    return undefined;
  }
  return async (name, value) => {
    try {
      for (let number = 1; ; number += 1) {
        const account = number === 1 ? name : `${name}_${number}`;
        const present = await store.read(account);
        if (present === undefined) await store.write(account, value);
        if (present === undefined || present === value) return account;
      }
    } catch (cause) {
      throw new CommandError(exitCodes.failed, 'The keychain refused a value. No config was written.', {
        hint: 'Run it again and choose .env, or set the values later.',
        cause,
      });
    }
  };
}
