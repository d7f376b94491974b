import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allHosts } from '../src/adapters/all-hosts.js';
import type { HostAdapter } from '../src/adapters/host-adapter.js';
import { editEntries, readEntries } from '../src/edit/edit-entries.js';
import { documentLayout } from '../src/entry/entry-form.js';
import type { HostServer, HostStdioServer, JsonValue } from '../src/index.js';
import { hostFixtures } from './helpers/fixtures.js';
import { type Moment, moment, sync, typesOf } from './helpers/in-memory-sync.js';
import { codesOf, read, written } from './helpers/round-trip.js';

const plain: HostStdioServer = {
  name: 'mine',
  transport: 'stdio',
  command: 'uvx',
  args: ['files-mcp', '--root', '/srv/data dir', '-v=1'],
  env: { LOG_LEVEL: 'debug' },
};

const remote = {
  name: 'remote',
  transport: 'http',
  url: 'https://example.com/mcp?team=a&b=1',
  headers: { 'X-Team': 'blue' },
} as const satisfies HostServer;

// Every adapter runs all of these tests. Unsupported features must be reported; everything else must round-trip.
describe.each([...allHosts])('%s', (id, adapter) => {
  const local = adapter.entry.stdio.emptyEnv === undefined ? { ...plain, env: { ...plain.env, EMPTY: '' } } : plain;

  test('passes on an empty variable or reports that the host does not', () => {
    const { issues } = written(id, { ...plain, args: [], env: { EMPTY: '' } });
    const { emptyEnv } = adapter.entry.stdio;
    const severity = emptyEnv === 'inherited' ? 'error' : 'warning';
    expect(issues).toMatchObject(emptyEnv === undefined ? [] : [{ code: 'field-not-supported', severity }]);
  });

  test('round-trips a stdio server', () => {
    const server = { ...local, enabled: true };
    const { entry, issues } = written(id, server);
    expect(codesOf(issues)).toEqual(quotedForOneSystem(adapter));
    expect(read(id, 'mine', entry)).toEqual({ server, issues: [] });
  });

  test('round-trips a remote server or reports that it is not supported', () => {
    const { entry, issues } = written(id, remote);
    if (adapter.entry.http === undefined) {
      expect(entry).toBeUndefined();
      expect(codesOf(issues)).toEqual(['remote-not-supported']);
    } else {
      expect(issues).toEqual([]);
      expect(read(id, 'remote', entry)).toEqual({ server: { ...remote, enabled: true }, issues: [] });
    }
  });

  test('round-trips an SSE server, as HTTP if the host detects the transport', () => {
    const server = { ...remote, transport: 'sse' } as const;
    const { entry, issues } = written(id, server);
    const { http, sse } = adapter.entry;
    if (sse === undefined) {
      expect(codesOf(issues)).toEqual(['remote-not-supported']);
      return;
    }
    const tellsApart = sse.type !== http?.type || sse.url !== http?.url;
    const transport = tellsApart ? 'sse' : 'http';
    expect(read(id, 'remote', entry).server).toEqual({ ...server, transport, enabled: true });
  });

  test('round-trips a remote server through the bridge if the host does not support it', () => {
    const { entry, issues } = written(id, remote, { bridgeRemote: true });
    expect(read(id, 'remote', entry).server).toEqual({ ...remote, enabled: true });
    expect(codesOf(issues)).toEqual(adapter.entry.http === undefined ? ['secret-in-arguments'] : []);
  });

  test('round-trips a variable or reports that it has no syntax', () => {
    const server = { ...local, env: { API_KEY: `\${API_KEY}` }, enabled: true };
    const { entry, issues } = written(id, server);
    if (knowsVariables(adapter)) {
      const keyring = adapter.entry.byName?.from === 'keyring' ? ['keyring-variable'] : [];
      expect(codesOf(issues)).toEqual([...keyring, ...quotedForOneSystem(adapter)]);
      expect(read(id, 'mine', entry)).toEqual({ server, issues: [] });
    } else {
      expect(entry).toBeUndefined();
      expect(codesOf(issues)).toEqual(['variables-not-supported']);
    }
  });

  test('writes the value of a variable only where allowed, and never to a project file', () => {
    const server = { ...local, args: ['--key', `\${API_KEY}`] };
    const { entry, secrets } = written(id, server, { writeSecrets: { API_KEY: 'planted-value' } });
    const isLiteral = JSON.stringify(entry)?.includes('planted-value') ?? false;
    const { syntax, fields, inShell = [], unverified } = adapter.entry.variables;
    const isReplaced = (fields?.includes('args') ?? true) && !inShell.includes('args');
    const refers = syntax !== undefined && unverified !== true && isReplaced;
    expect(isLiteral).toBe(!refers && adapter.scope !== 'project');
    expect(secrets).toEqual(isLiteral ? ['planted-value'] : []);
  });

  test('writes the disabled state or reports that it is not supported', () => {
    const server = { ...local, enabled: false };
    const { entry, issues } = written(id, server);
    if (adapter.entry.toggle === undefined) expect(codesOf(issues)).toEqual(['field-not-supported']);
    else expect(read(id, 'mine', entry).server?.enabled).toBe(false);
  });

  test('keeps a time limit in whole seconds or reports that it is not supported', () => {
    const server = adapter.entry.http === undefined ? local : remote;
    const { entry, issues } = written(id, { ...server, timeoutMs: 30_000 });
    if (adapter.entry.timeout === undefined) expect(codesOf(issues)).toEqual(['field-not-supported']);
    else expect(read(id, server.name, entry).server?.timeoutMs).toBe(30_000);
  });

  test('keeps a working directory or reports that it is not supported', () => {
    const { entry, issues } = written(id, { ...local, cwd: '/srv/data dir' });
    if (adapter.entry.stdio.cwd === undefined) {
      expect(entry).toBeUndefined();
      expect(codesOf(issues)).toEqual(['field-not-supported']);
    } else expect(read(id, 'mine', entry).server).toMatchObject({ cwd: '/srv/data dir' });
  });

  test('creates a file, leaves it unchanged in a second run, and deletes it with the last server', () => {
    const added = sync(moment(id), [local]);
    expect(typesOf(added.plan)).toEqual(['add mine']);
    expect(added.after.text).toBeTruthy();

    const again = sync(added.after, [local]);
    expect(typesOf(again.plan)).toEqual(['keep mine']);
    expect(again.plan.files).toEqual([]);

    const removed = sync(added.after, []);
    expect(removed.after).toEqual(moment(id));
  });

  test('changes and removes entries among those of others and restores every byte', () => {
    const before = moment(id, foreignText(adapter));
    const changed = { ...local, args: ['other'], env: { LOG_LEVEL: 'info' } };
    const added = sync(before, [local]);
    const updated = sync(added.after, [changed]);
    expect(typesOf(updated.plan)).toEqual(['change mine']);
    expect(sync(moment(id, before.text), [changed]).after.text).toBe(updated.after.text);
    expect(sync(updated.after, []).after).toEqual(before);
  });

  test('never claims an entry of another program', () => {
    const added = sync(moment(id, foreignText(adapter)), [local]);
    const forgotten = { ...added.after, ownership: { files: [] } };
    const { plan } = sync(forgotten, [{ ...local, args: ['other'] }]);
    expect(plan.steps).toMatchObject([{ type: 'conflict', reason: 'foreign-entry' }]);
    expect(plan.files).toEqual([]);
    expect(sync(forgotten, []).plan).toEqual({ steps: [], issues: [], files: [] });
  });

  test('keeps fields that the host adds to an entry, without a conflict', () => {
    const { toggle, hostFields } = adapter.entry;
    const added = sync(moment(id), [local]);
    const state: Record<string, unknown> = Object.fromEntries(hostFields.map((field) => [field, ['kept']]));
    if (toggle !== undefined) state[toggle.field] = toggle.means === 'disabled';
    const touched = withFields(added.after, adapter, state);
    const again = sync(touched, [local]);
    expect(typesOf(again.plan)).toEqual(['keep mine']);

    const updated = sync(touched, [{ ...local, args: ['other'] }]);
    expect(typesOf(updated.plan)).toEqual(['change mine']);
    expect(fieldsOf(updated.after, adapter)).toMatchObject(state);
    expect(sync(updated.after, []).after.text).toBeUndefined();
  });

  test('round-trips any server that it accepts', () => {
    fc.assert(
      fc.property(anyServer, fc.boolean(), (server, bridgeRemote) => {
        const { entry, issues } = written(id, server, { bridgeRemote });
        if (issues.length > 0) return; // unsupported features are covered by the tests above
        const back = read(id, server.name, entry).server;
        expect(back).toEqual(server.transport === 'sse' ? { ...server, transport: back?.transport } : server);
      }),
      { numRuns: 60 },
    );
  });
});

function shapeOf(adapter: HostAdapter, text: string) {
  return documentLayout(adapter, text, { platform: 'linux', project: '/srv/app' }).shape;
}

function withFields(now: Moment, adapter: HostAdapter, fields: Record<string, unknown>): Moment {
  const { text = '' } = now;
  const set = Object.entries(fields).map(([field, value]) => ({ path: [field], value: value as JsonValue }));
  const update = { type: 'update', name: 'mine', set, unset: [] } as const;
  return { ...now, text: editEntries(text, shapeOf(adapter, text), [update]).text };
}

function fieldsOf({ text = '' }: Moment, adapter: HostAdapter): JsonValue | undefined {
  return readEntries(text, shapeOf(adapter, text)).get('mine');
}

/** The warning about an argument with a space in a project file, which systems with different shells share. */
function quotedForOneSystem({ scope, entry }: HostAdapter): readonly string[] {
  return scope === 'project' && entry.stdio.runsInShell === true ? ['command-not-supported'] : [];
}

function knowsVariables({ entry: { variables, byName } }: HostAdapter): boolean {
  if (byName?.env !== undefined) return true;
  return variables.syntax !== undefined && variables.unverified !== true;
}

/** A file of this host with entries, comments and unrelated keys. */
function foreignText({ id, dialect, layouts }: HostAdapter): string {
  const fixture = hostFixtures.find(({ host, before }) => host === id && before !== undefined);
  if (fixture?.before !== undefined) return fixture.before;
  if (dialect === 'toml' && layouts[0].collection !== 'map')
    return 'model = "x" # kept\n\n[[mcp_servers]]\nname = "theirs"\ncommand = "a"\n\n[other]\nkey = 1\n';
  if (dialect === 'toml') return 'model = "x" # kept\n\n[mcp_servers.theirs]\ncommand = "a"\n\n[other]\nkey = 1\n';
  if (dialect === 'yaml')
    return '# kept\nmodel: x\nextensions:\n  theirs:\n    type: builtin # theirs\n    enabled: true\nother: [1, 2]\n';
  const [key = ''] = layouts[0].keyPath;
  if (layouts[0].keyPath.length > 1) return '{\n\t"projects": { "/other": {} },\n\t"kept": 1.0\n}';
  return `{\n\t"kept": 1.0,\n\t${JSON.stringify(key)}: {\n\t\t"theirs": { "command": "a",   "unknownKey": [] }\n\t},\n\t"more": {}\n}`;
}

const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/[\s$\0]/.test(text));
const variable = fc.constantFrom(`\${API_KEY}`, `\${HOME}`);
const literalOrVariable = fc.oneof(
  word,
  variable,
  fc.tuple(word, variable).map(([text, name]) => text + name),
);
const names = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);

const anyServer: fc.Arbitrary<HostServer> = fc.oneof(
  fc.record({
    name: fc.constant('any'),
    transport: fc.constant('stdio' as const),
    command: fc.stringMatching(/^[a-z/._-]{1,12}$/),
    args: fc.array(literalOrVariable, { maxLength: 4 }),
    env: fc.dictionary(names, literalOrVariable, { maxKeys: 3, noNullPrototype: true }),
    enabled: fc.constant(true),
  }),
  fc.record({
    name: fc.constant('any'),
    transport: fc.constantFrom('http' as const, 'sse' as const),
    url: fc.webUrl().filter((url) => !/[$\s]/.test(url)),
    headers: fc.dictionary(fc.stringMatching(/^X-[A-Za-z]{1,8}$/), literalOrVariable, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    enabled: fc.constant(true),
  }),
);
