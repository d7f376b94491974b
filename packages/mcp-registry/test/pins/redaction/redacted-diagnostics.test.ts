import { expect, test } from 'vitest';
import type { RegistryDiagnostic } from '../../../src/catalog/diagnostics.js';
import type { ToolFinding } from '../../../src/findings/tool-finding.js';
import { redactDiagnostic, redactFinding } from '../../../src/pins/redaction/redacted-diagnostics.js';

const secret = 's3cret-of-may';
const redact = (text: string) => text.replaceAll(secret, '***');
const name = `fetch_${secret}`;

test.each<[string, RegistryDiagnostic, Partial<Record<string, unknown>>]>([
  [
    'its tool',
    { code: 'duplicate-tool', server: 'web', tool: name, message: `"${name}" twice` },
    { server: 'web', tool: 'fetch_***', message: '"fetch_***" twice' },
  ],
  [
    'a field of its tool',
    { code: 'reduced-tool', server: 'web', tool: 'fetch', field: `inputSchema.${secret}`, message: 'too long' },
    { tool: 'fetch', field: 'inputSchema.***', message: 'too long' },
  ],
  [
    'public names',
    {
      code: 'name-collision',
      server: 'web',
      tool: name,
      name: `mcp__web__${name}`,
      winner: { server: 'other', tool: name },
      message: `"${name}"`,
    },
    { tool: 'fetch_***', name: 'mcp__web__fetch_***', winner: { server: 'other', tool: 'fetch_***' } },
  ],
  [
    'suggested names',
    {
      code: 'rule-matches-nothing',
      role: 'guest',
      list: 'deniedTools',
      pattern: 'fetsh',
      rule: { tool: 'x' },
      suggestions: ['plain', name],
      unlisted: ['web'],
      message: `Did you mean ${name}?`,
    },
    { suggestions: ['plain', 'fetch_***'], rule: { tool: 'x' }, unlisted: ['web'], message: 'Did you mean fetch_***?' },
  ],
  [
    'a message about no tool',
    { code: 'invalid-tool', server: 'web', tool: undefined, message: `An entry has the key ${secret}` },
    { tool: undefined, message: 'An entry has the key ***' },
  ],
])('a diagnostic is frozen and without the secret in %s', (_, diagnostic, shown) => {
  const hidden = redactDiagnostic(diagnostic, redact);
  expect(hidden).toMatchObject({ code: diagnostic.code, ...shown });
  expect(JSON.stringify(hidden)).not.toContain('s3c');
  expect(Object.isFrozen(hidden)).toBe(true);
});

test('a diagnostic of any kind keeps its cause', () => {
  const cause: Record<string, unknown> = { of: 1n };
  cause.self = cause;
  const failed = { code: 'listing-failed', server: 'web', cause, message: `no ${secret}` } as const;
  expect(redactDiagnostic(failed, redact)).toEqual({ ...failed, message: 'no ***' });
  expect(redactDiagnostic({ ...failed, message: 'no' }, redact)).toMatchObject({ message: 'no', cause });
});

test('a diagnostic without a secret stays the same object', () => {
  const diagnostic: RegistryDiagnostic = { code: 'duplicate-tool', server: 'web', tool: 'fetch', message: 'twice' };
  expect(redactDiagnostic(diagnostic, redact)).toBe(diagnostic);
  const failed: RegistryDiagnostic = { code: 'listing-failed', server: 'web', cause: 1n, message: 'failed' };
  expect(redactDiagnostic(failed, redact)).toBe(failed);
});

test.each<RegistryDiagnostic>([
  { code: 'tools-held-back', server: 'web', pending: 1, changed: 0, message: `hides ${secret} itself` },
  { code: 'pin-store-failed', cause: 1n, message: `of the host: ${secret}` },
  { code: 'audit-failed', lost: 1, cause: 1n, message: `of the host: ${secret}` },
])('a diagnostic that quotes no text of a server stays the same object: $code', (diagnostic) => {
  expect(redactDiagnostic(diagnostic, redact)).toBe(diagnostic);
});

test('a name that a message cuts inside of a secret is quoted without it', () => {
  const long = `${'x'.repeat(93)}${secret}`;
  const message = (quoted: string, other = quoted) =>
    `"${quoted}…" of web reads like "${other}…", once more "${quoted}…"`;
  const given = { server: 'web', message: message(long.slice(0, 100), `${'y'.repeat(97)}s3c`) };
  const expected = message(`${'x'.repeat(93)}***`, `${'y'.repeat(97)}***`).replaceAll('…', '');
  const other = { server: 'other', tool: `${'y'.repeat(97)}${secret}` };
  const collision: RegistryDiagnostic = { ...given, code: 'name-collision', tool: long, name: 'x', winner: other };
  expect(redactDiagnostic(collision, redact).message).toBe(expected);
  const finding = { code: 'look-alike-name', severity: 'high', field: 'name', ...given } as const;
  expect(redactDiagnostic<ToolFinding>({ ...finding, tool: long, other }, redact).message).toBe(expected);
  const cut = { ...finding, tool: `${'y'.repeat(97)}s3x`, message: `"${'y'.repeat(97)}s3x"` };
  expect(redactDiagnostic<ToolFinding>(cut, redact)).toBe(cut);
});

test('a finding keeps the name of its tool, and is without the secret elsewhere', () => {
  const finding: ToolFinding = {
    code: 'look-alike-name',
    severity: 'high',
    server: 'web',
    tool: name,
    field: `inputSchema.${secret}`,
    other: { server: 'other', tool: `fetsh_${secret}` },
    message: `"${name}" reads like another`,
  };
  const hidden = redactFinding(finding, redact);
  expect(hidden).toEqual({
    ...finding,
    field: 'inputSchema.***',
    other: { server: 'other', tool: 'fetsh_***' },
    message: '"fetch_***" reads like another',
  });
  expect(Object.isFrozen(hidden)).toBe(true);
  expect(redactFinding({ ...finding, other: undefined }, redact)).toMatchObject({ tool: name, other: undefined });
});
