import { isNamedSecret, secretIn, secretsInWords } from '@x/internal/secrets';
import { shellWord } from '../tool/argument-texts.js';

export type AddKind = 'command' | 'url' | 'app';

/** What was typed, by the names of the form's fields. Nothing of it is sent anywhere. */
export type Typed = Readonly<Record<string, unknown>>;

interface Place {
  /** Servers that are there already. */
  readonly known: ReadonlySet<string>;
  readonly hasConfig: boolean;
  /** A file that `--config` named. */
  readonly configFile?: string | undefined;
}

interface Composed {
  /** Faults by JSON Pointer. */
  readonly faults: ReadonlyMap<string, string>;
  /** For a POSIX shell. Absent while there are faults or something is missing. */
  readonly line?: string | undefined;
}

const name = { type: 'string', format: 'name', description: 'Name of the new server' };
const where = {
  enum: ['project', 'user'],
  default: 'project',
  description: 'project: the file of the project, if there is one. user: your own config, for all projects',
};

/** JSON Schemas of the forms. */
export const addSchemas = {
  command: {
    type: 'object',
    properties: {
      name,
      command: {
        type: 'string',
        format: 'command line',
        description: 'Program with its arguments, such as: npx -y @modelcontextprotocol/server-filesystem .',
      },
      env: {
        type: 'array',
        items: { type: 'string', format: 'variable' },
        description:
          'Environment variables. NAME takes the value of your environment when the server starts; NAME=value is for what is no secret',
      },
      cwd: { type: 'string', format: 'folder', description: 'Folder that the server runs in' },
      scope: where,
    },
    required: ['name', 'command'],
  },
  url: {
    type: 'object',
    properties: {
      name,
      url: { type: 'string', format: 'uri', description: 'Address, such as: https://example.com/mcp' },
      headers: {
        type: 'array',
        items: { type: 'string', format: 'header' },
        description:
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the config
          'HTTP headers, such as: Authorization: Bearer ${DOCS_TOKEN}. A server that asks for a sign-in needs none',
      },
      scope: where,
    },
    required: ['name', 'url'],
  },
  app: {
    type: 'object',
    properties: {
      app: {
        type: 'string',
        format: 'app',
        default: 'all',
        description: 'cursor, claude, vscode or another app, or all',
      },
      server: {
        type: 'string',
        format: 'name',
        description: 'Name that the server has there. Left out: all servers of the app, where there is no config yet',
      },
    },
  },
} as const satisfies Readonly<Record<AddKind, object>>;

/** The command that adds the server, or what is wrong. Secrets stand in it as references, never as values. */
export function addLine(kind: AddKind, typed: Typed, place: Place): Composed {
  if (kind === 'app') return appLine(typed, place);
  const faults = new Map<string, string>();
  const server = textOf(typed.name);
  const report = (pointer: string, fault: string | undefined) => fault !== undefined && faults.set(pointer, fault);
  if (server !== '') report('/name', nameFault(server, place.known));
  const words = kind === 'command' ? commandWords(typed, report) : urlWords(typed, report);
  const isComplete = server !== '' && words !== undefined && faults.size === 0;
  const options = place.configFile === undefined ? scopeWords(typed) : ['--config', place.configFile];
  return {
    faults,
    ...(isComplete && { line: ['mcpx', 'add', server, ...options, ...words].map(shellWord).join(' ') }),
  };
}

type Report = (pointer: string, fault: string | undefined) => void;

function commandWords(typed: Typed, report: Report): readonly string[] | undefined {
  const command = textOf(typed.command).trim();
  const words = command.split(/\s+/);
  const secret = secretsInWords(words)[0];
  report(
    '/command',
    hiddenFault(command) ??
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the config
      (secret && 'A secret does not belong here. Write a variable in its place, such as ${API_TOKEN}.') ??
      (/^https?:\/\//i.test(command) ? 'This is an address. Choose “URL”.' : undefined),
  );
  const variables = listOf(typed.env);
  for (const [index, variable] of variables.entries()) report(`/env/${index}`, variableFault(variable));
  const cwd = textOf(typed.cwd);
  report('/cwd', hiddenFault(cwd));
  if (command === '') return undefined;
  // The command splits one word like the command of a config.
  const target = words.every((word) => /^[\w@%+=:,./-]+$/.test(word)) ? words : [command];
  return [
    ...variables.flatMap((variable) => ['--env', variable]),
    ...(cwd === '' ? [] : ['--cwd', cwd]),
    '--',
    ...target,
  ];
}

function urlWords(typed: Typed, report: Report): readonly string[] | undefined {
  const url = textOf(typed.url).trim();
  if (url !== '') report('/url', urlFault(url));
  const headers = listOf(typed.headers);
  for (const [index, header] of headers.entries()) report(`/headers/${index}`, headerFault(header));
  if (url === '') return undefined;
  return [url, ...headers.flatMap((header) => ['--header', header])];
}

function appLine({ app, server: typed }: Typed, { hasConfig, configFile, known }: Place): Composed {
  const host = textOf(app) || 'all';
  const server = textOf(typed);
  const faults = new Map<string, string>();
  if (!/^[a-z][\w-]*$/i.test(host)) faults.set('/app', 'Write the name of an app, such as cursor.');
  const fault = server === '' ? undefined : nameFault(server, hasConfig ? known : new Set());
  if (fault !== undefined) faults.set('/server', fault);
  if (faults.size > 0) return { faults };
  if (server !== '') {
    const options = configFile === undefined ? [] : ['--config', configFile];
    return { faults, line: ['mcpx', 'add', server, ...options, '--from', host].map(shellWord).join(' ') };
  }
  if (!hasConfig) return { faults, line: `mcpx init --from ${host}` };
  return { faults, line: host === 'all' ? 'mcpx import' : `mcpx import ${host}` };
}

function scopeWords({ scope }: Typed): readonly string[] {
  return scope === 'user' ? ['--scope', 'user'] : [];
}

function nameFault(server: string, known: ReadonlySet<string>): string | undefined {
  if (server.startsWith('-') || server !== server.trim() || server.length > 128) {
    return 'A name has 1 to 128 characters, and neither begins with “-” nor begins or ends with a space.';
  }
  if (known.has(server)) return 'There is a server of this name. Choose another name.';
  return hiddenFault(server);
}

function variableFault(variable: string): string | undefined {
  if (variable === '') return 'Write NAME or NAME=value, or remove it.';
  const at = variable.indexOf('=');
  const key = at < 0 ? variable : variable.slice(0, at);
  if (!/^[A-Za-z_]\w*$/.test(key)) return 'The name of a variable has letters, digits and “_”.';
  if (at < 0) return undefined;
  const value = variable.slice(at + 1);
  return isNamedSecret(key, value) || secretIn(value)
    ? `This is a secret. Write ${key} alone: the value then comes from the variable of this name, and stays out of the file.`
    : hiddenFault(variable);
}

function headerFault(header: string): string | undefined {
  const [, key, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)$/.exec(header) ?? [];
  if (key === undefined || value === undefined) return 'Write “Name: value”.';
  return isNamedSecret(key, value) || secretIn(value)
    ? // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the config
      'This is a secret. Write a variable in its place, such as ${API_TOKEN}.'
    : hiddenFault(header);
}

function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'Write an address that begins with https:// or http://.';
  if (url.username !== '' || url.password !== '' || secretIn(text)) {
    return 'A secret does not belong into an address. Use a header with a variable.';
  }
  return /\s/.test(text) ? 'An address has no spaces.' : hiddenFault(text);
}

/** Characters that do not show would be copied, too. */
function hiddenFault(text: string): string | undefined {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? 'It has characters that do not show.' : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}
