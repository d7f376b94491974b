import { describe, expect, test } from 'vitest';
import type { HostServer } from '../../src/index.js';
import { type Moment, moment, sync, typesOf } from '../helpers/in-memory-sync.js';
import { codesOf } from '../helpers/round-trip.js';

const files: HostServer = { name: 'files', transport: 'stdio', command: 'uvx', args: ['files-mcp'] };
const write = { toolLists: 'write' } as const;

function withLists(lists: Pick<HostServer, 'allowedTools' | 'deniedTools'>): HostServer {
  return { ...files, ...lists };
}

function entryIn({ text }: Moment): Record<string, unknown> | undefined {
  const document = JSON.parse(text ?? '{}');
  return (document.mcpServers ?? document['amp.mcpServers'])?.files;
}

describe('lists of tools in the words of a host', () => {
  test.each<[string, Pick<HostServer, 'allowedTools' | 'deniedTools'>, object]>([
    ['gemini-cli-user', { allowedTools: ['a', 'b'] }, { includeTools: ['a', 'b'] }],
    ['gemini-cli-user', { deniedTools: ['a'] }, { excludeTools: ['a'] }],
    ['gemini-cli-user', { allowedTools: ['a', 'b', 'drop_x'], deniedTools: ['b', 'drop_*'] }, { includeTools: ['a'] }],
    ['copilot-cli-user', { allowedTools: ['a'] }, { tools: ['a'] }],
    ['factory-user', { deniedTools: ['a'] }, { disabledTools: ['a'] }],
    ['amp-user', { allowedTools: ['get_*'] }, { includeTools: ['get_*'] }],
    ['mcporter-user', { allowedTools: ['a'] }, { allowedTools: ['a'] }],
  ])('%s: %j', (host, lists, fields) => {
    const { plan, after } = sync(moment(host), [withLists(lists)], write);
    expect(plan.issues).toEqual([]);
    expect(entryIn(after)).toMatchObject(fields);
    expect(typesOf(sync(after, [withLists(lists)], write).plan)).toEqual(['keep files']);
  });

  test('are inside a field of Hermes', () => {
    const { after } = sync(moment('hermes-user'), [withLists({ allowedTools: ['a'] })], write);
    expect(after.text).toContain('tools:');
    expect(sync(after, [], write).after.text).toBeUndefined();
  });

  test('are among the fields of an item of Vibe', () => {
    const { after } = sync(moment('vibe'), [withLists({ deniedTools: ['a'] })], write);
    expect(after.text).toContain('disabled_tools = ["a"]\n');
    expect(sync(after, [], write).after.text).toBeUndefined();
  });

  test.each<[string, Pick<HostServer, 'allowedTools' | 'deniedTools'>]>([
    ['vibe', { allowedTools: ['a'] }],
    ['anythingllm', { deniedTools: ['a'] }],
    ['cursor-user', { allowedTools: ['a'] }],
    ['claude-code-user', { deniedTools: ['a'] }],
    ['kiro-user', { allowedTools: ['a'] }],
    ['gemini-cli-user', { allowedTools: ['get_*'] }],
    ['gemini-cli-user', { deniedTools: ['get_*'] }],
    ['amp-user', { allowedTools: ['get_*'], deniedTools: ['get_x'] }],
  ])('%s cannot express %j, and gets no entry', (host, lists) => {
    const { plan, after } = sync(moment(host), [withLists(lists)], write);
    expect(plan.issues).toMatchObject([{ code: 'field-not-supported', severity: 'error', server: 'files' }]);
    expect(after.text).toBeUndefined();
  });

  test('a server without an allowed tool is left out', () => {
    const { plan, after } = sync(moment('codex-user'), [withLists({ allowedTools: ['a'], deniedTools: ['a'] })], write);
    expect(plan.issues).toMatchObject([{ severity: 'warning', message: expect.stringContaining('No tool') }]);
    expect(after.text).toBeUndefined();
  });

  test('are not written by default', () => {
    const { plan, after } = sync(moment('gemini-cli-user'), [withLists({ allowedTools: ['a'] })]);
    expect(codesOf(plan.issues)).toEqual(['field-not-supported']);
    expect(entryIn(after)).not.toHaveProperty('includeTools');
  });
});

describe.each(['gemini-cli-user', 'copilot-cli-user'])('narrower lists leave no wider entry behind: %s', (host) => {
  const field = host === 'gemini-cli-user' ? 'includeTools' : 'tools';
  const wide = sync(moment(host), [withLists({ allowedTools: ['a', 'b'] })], write).after;

  test('a shorter list replaces a longer one', () => {
    const { plan, after } = sync(wide, [withLists({ allowedTools: ['a'] })], write);
    expect(typesOf(plan)).toEqual(['change files']);
    expect(entryIn(after)).toMatchObject({ [field]: ['a'] });
  });

  test('a list replaces none', () => {
    const { after } = sync(sync(moment(host), [files]).after, [withLists({ allowedTools: ['a'] })], write);
    expect(entryIn(after)).toMatchObject({ [field]: ['a'] });
  });

  test('a list that the host cannot express removes the entry', () => {
    const { plan, after } = sync(wide, [withLists({ allowedTools: ['get_*'] })], write);
    expect(typesOf(plan)).toEqual(['remove files']);
    expect(codesOf(plan.issues)).toEqual(['field-not-supported']);
    expect(after.text).toBeUndefined();
  });

  test('a server that cannot be written removes the entry, unless it has no lists', () => {
    const secrets = [{ key: 'TOKEN', reference: 'keychain:token' }];
    const narrow = sync(wide, [{ ...withLists({ allowedTools: ['a'] }), secrets }], write);
    expect(codesOf(narrow.plan.issues)).toEqual(['secret-not-resolved']);
    expect(narrow.after.text).toBeUndefined();
    expect(sync(wide, [{ ...files, secrets }], write).after.text).toBe(wide.text);
  });

  test('a list without tools removes the entry', () => {
    expect(sync(wide, [withLists({ allowedTools: [] })], write).after.text).toBeUndefined();
  });

  test('a list that a user has changed is a conflict, in both directions', () => {
    for (const other of ['["a","b","c"]', '["a"]']) {
      const text = (wide.text ?? '').replace(/\[\s*"a",\s*"b"\s*\]/, other);
      expect(text).not.toBe(wide.text);
      expect(typesOf(sync({ ...wide, text }, [withLists({ allowedTools: ['a'] })], write).plan)).toEqual(
        other === '["a"]' ? ['keep files'] : ['conflict files'],
      );
      expect(typesOf(sync({ ...wide, text }, [], write).plan)).toEqual(['conflict files']);
    }
  });

  test('a list of the user in an entry without ours is a conflict', () => {
    const plain = sync(moment(host), [files]).after;
    const document = JSON.parse(plain.text ?? '');
    document.mcpServers.files[field] = ['mine'];
    const edited = { ...plain, text: JSON.stringify(document) };
    expect(typesOf(sync(edited, [withLists({ allowedTools: ['a', 'mine'] })], write).plan)).toEqual(['conflict files']);
    expect(typesOf(sync(edited, [files]).plan)).toEqual(['keep files']);
  });

  test('without lists, the entry is as a new one', () => {
    const { after } = sync(wide, [files], write);
    expect(entryIn(after)).toEqual(entryIn(sync(moment(host), [files]).after));
    expect(typesOf(sync(after, [files]).plan)).toEqual(['keep files']);
  });
});
