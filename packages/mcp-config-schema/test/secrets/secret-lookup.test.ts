import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRedactor } from '../../src/index.js';
import { loadConfig } from '../../src/load.js';
import { createSecretLookup, type SecretResolver } from '../../src/secrets.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

/** Counts its calls; returns on request. */
function heldVault() {
  const asked: { rest: string; signal: AbortSignal; answer: (value: string) => void }[] = [];
  let onAsked: () => void = () => undefined;
  const vault: SecretResolver = (rest, { signal }) =>
    new Promise((answer) => {
      asked.push({ rest, signal, answer });
      onAsked();
    });
  const nextAsked = (): Promise<void> =>
    new Promise((done) => {
      onAsked = done;
    });
  return { vault, asked, nextAsked };
}

test('resolves only on demand, and each time anew', async () => {
  const env: Record<string, string> = { TOKEN: 'first-value' };
  const lookup = createSecretLookup({ env });
  expect(await lookup.resolveSecret({ reference: 'env:TOKEN' })).toBe('first-value');
  env.TOKEN = 'second-value';
  expect(await lookup.resolveSecret({ reference: 'env:TOKEN' })).toBe('second-value');
});

test('its redactor knows a value before the caller, and keeps older ones', async () => {
  const env: Record<string, string> = { TOKEN: 'first-value' };
  const lookup = createSecretLookup({ env, redactor: createRedactor(['given-before']) });
  const { redact } = { ...lookup };
  expect(redact('given-before first-value')).toBe('*** first-value');
  await lookup.resolveSecret({ reference: 'env:TOKEN' });
  env.TOKEN = 'second-value';
  await lookup.resolveSecret({ reference: 'env:TOKEN' });
  expect(redact('given-before first-value second-value')).toBe('*** *** ***');
  expect(lookup.redactor.redact('second-value')).toBe('***');
});

test('simultaneous calls for one reference share one resolution', async () => {
  const { vault, asked, nextAsked } = heldVault();
  const { resolveSecret } = createSecretLookup({ resolvers: { vault } });
  const begun = nextAsked();
  const both = Promise.all([resolveSecret({ reference: 'vault:a' }), resolveSecret({ reference: 'vault:a' })]);
  await begun;
  asked[0]?.answer('sesame');
  expect(await both).toEqual(['sesame', 'sesame']);
  expect(asked).toHaveLength(1);
});

test('different references are resolved one after the other', async () => {
  const { vault, asked, nextAsked } = heldVault();
  const { resolveSecret } = createSecretLookup({ resolvers: { vault } });
  const first = nextAsked();
  const both = Promise.all([resolveSecret({ reference: 'vault:a' }), resolveSecret({ reference: 'vault:b' })]);
  await first;
  expect(asked.map(({ rest }) => rest)).toEqual(['a']);
  const second = nextAsked();
  asked[0]?.answer('one');
  await second;
  asked[1]?.answer('two');
  expect(await both).toEqual(['one', 'two']);
});

test('a resolution ends when the last caller leaves, without delaying the next one', async () => {
  const { vault, asked, nextAsked } = heldVault();
  const { resolveSecret } = createSecretLookup({ resolvers: { vault } });
  const [one, other] = [new AbortController(), new AbortController()];
  const begun = nextAsked();
  const waits = [one, other].map(({ signal }) => resolveSecret({ reference: 'vault:a' }, { signal }));
  const results = Promise.allSettled(waits);
  await begun;
  one.abort(new Error('enough'));
  await expect(waits[0]).rejects.toThrow('enough');
  expect(asked[0]?.signal.aborted).toBe(false);
  const next = nextAsked();
  other.abort(new Error('enough, too'));
  await results;
  expect(asked[0]?.signal.aborted).toBe(true);
  const again = resolveSecret({ reference: 'vault:a' });
  await next;
  asked[1]?.answer('sesame');
  expect(await again).toBe('sesame');
});

test('the signal option ends every resolution', async () => {
  const end = new AbortController();
  const { resolveSecret } = createSecretLookup({
    resolvers: { vault: () => new Promise<string>(() => undefined) },
    signal: end.signal,
  });
  const asked = resolveSecret({ reference: 'vault:a' });
  end.abort(new Error('over'));
  await expect(asked).rejects.toThrow('over');
  await expect(resolveSecret({ reference: 'vault:a' })).rejects.toThrow('over');
});

test.each([
  ['env:MISSING', 'variable', 'the variable MISSING is not set'],
  ['env:EMPTY', 'variable', 'it is empty'],
  ['env:LINES', 'header', 'it has several lines, which a header cannot contain'],
  ['envy:X', 'variable', '"envy" is not a known scheme; did you mean "env:"?'],
  ['sk-a-secret-by-mistake', 'variable', /^it is not a reference; write a reference such as/],
] as const)('%s as a %s fails with its reason, without the secret', async (reference, target, message) => {
  const { resolveSecret } = createSecretLookup({ env: { EMPTY: '', LINES: 'a\nb' } });
  const failure = resolveSecret({ reference, target });
  await expect(failure).rejects.toMatchObject({ code: 'secret-unavailable' });
  await expect(failure).rejects.toThrow(message);
  await expect(failure).rejects.not.toThrow('sk-a-secret-by-mistake');
});

test('an invalid time limit is rejected immediately', () => {
  expect(() => createSecretLookup({ timeoutMs: 0 })).toThrow(TypeError);
});

test('loadConfig resolves secrets if requested', async () => {
  const text = 'mcp_servers:\n  a: { command: x, env: { TOKEN: { secret_ref: "env:GIVEN" } } }\n';
  await writeFile(join(root, 'mcp_servers.yaml'), text);
  const from = { cwd: root, layers: ['project'], env: { GIVEN: 'sesame' } } as const;
  expect((await loadConfig(from)).servers[0]).toMatchObject({ env: {}, secrets: [{ key: 'TOKEN' }] });
  const { servers, redactor } = await loadConfig({ ...from, secrets: 'resolve' });
  expect(servers[0]).toMatchObject({ env: { TOKEN: 'sesame' }, secrets: undefined });
  expect(redactor.redact('sesame')).toBe('***');
  const own = await loadConfig({ ...from, secrets: { env: { GIVEN: 'another' } } });
  expect(own.servers[0]).toMatchObject({ env: { TOKEN: 'another' } });
  await expect(loadConfig({ ...from, env: {}, secrets: 'resolve' })).rejects.toMatchObject({
    issues: [{ code: 'unresolved-secret' }],
  });
  await expect(loadConfig({ ...from, secrets: true as never })).rejects.toThrow(TypeError);
  await expect(loadConfig({ ...from, secrets: 'resolve', variables: 'keep' })).rejects.toThrow(TypeError);
});

test('a reference is relative to its file, in any current directory', async () => {
  const secret = (value: string) => ({ secret_ref: value });
  const server = { command: 'node', env: { TOKEN: secret('file:token') } };
  for (const name of ['one', 'two']) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, 'token'), `token of ${name}`, { mode: 0o600 });
    await writeFile(join(root, name, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: { [name]: server } }));
  }
  const files = ['one', 'two'].map((name) => join(root, name, 'mcp_servers.yaml'));
  const { servers } = await loadConfig({ cwd: tmpdir(), files });
  const { resolveSecret } = createSecretLookup();
  const references = servers.flatMap(({ secrets = [] }) => secrets);
  const values = await Promise.all(references.map((reference) => resolveSecret(reference)));
  expect(values.toSorted()).toEqual(['token of one', 'token of two']);

  const resolved = await loadConfig({ cwd: tmpdir(), files, secrets: 'resolve' });
  const tokens = resolved.servers.map((each) => each.transport === 'stdio' && each.env.TOKEN);
  expect(tokens.toSorted()).toEqual(values.toSorted());
  await expect(createSecretLookup({ root: tmpdir() }).resolveSecret(references[0] as never)).rejects.toThrow(
    'does not exist',
  );
});

test('spreading gives a client manager its options, without an outdated redactor', () => {
  const lookup = createSecretLookup();
  expect(Object.keys({ ...lookup })).toEqual(['resolveSecret', 'redact']);
  expect(lookup.redactor.redact('text')).toBe('text');
});
