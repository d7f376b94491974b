import { tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { checkPins, makePin } from '../../src/pins/check-pins.js';
import type { ToolPin } from '../../src/pins/pin-store.js';

const log = makePin(tool('log') as never, 'approval');
const inGit = (...tools: readonly unknown[]) => [{ server: 'git', tools }];
const fields = JSON.parse(JSON.stringify(log)) as ToolPin;
const defined = (more: object) => inGit({ ...fields, definition: { ...fields.definition, ...more } });
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

test.each<[string, unknown, string]>([
  ['an object', {}, 'it is not a list of servers'],
  ['a text', 'git', 'it is not a list of servers'],
  ['null', null, 'it is not a list of servers'],
  ['an entry that is null', [{ server: 'git', tools: [] }, null], 'entry 2 is not a server with tools'],
  ['a number as its entry', [{ server: 'git', tools: [] }, 5], 'entry 2 is not a server with tools'],
  ['an entry without a name', [{ tools: [] }], 'entry 1 is not a server with tools'],
  ['a number as the name of an entry', [{ server: 5, tools: [] }], 'entry 1 is not a server with tools'],
  ['an entry without tools', [{ server: 'git' }], 'entry 1 is not a server with tools'],
  ['tools that are no list', [{ server: 'git', tools: {} }], 'entry 1 is not a server with tools'],
  ['a tool that is null', inGit(null), 'a tool of server "git" has no name'],
  ['a text as a tool', inGit('log'), 'a tool of server "git" has no name'],
  ['a tool without a name', inGit({ ...fields, tool: 5 }), 'a tool of server "git" has no name'],
  ['no time', inGit({ ...fields, approvedAt: 1 }), 'tool "log" of server "git" has no approvedAt'],
  [
    'nobody who approved',
    inGit({ ...fields, approvedBy: 'me' }),
    'tool "log" of server "git" must have approvedBy "approval" or "first-use"',
  ],
  [
    'a definition of another tool',
    inGit({ ...fields, tool: 'push' }),
    'tool "push" of server "git" has the definition of another tool',
  ],
  [
    'another digest',
    inGit({ ...fields, digest: 'sha256:0' }),
    'tool "log" of server "git" has a definition that does not match its digest',
  ],
  ['a tool twice', inGit(log, log), 'tool "log" of server "git" is listed twice'],
  ['a server twice', [...inGit(), ...inGit()], 'server "git" is listed twice'],
  ['a definition that is null', inGit({ ...fields, definition: null }), 'tool "log" of server "git" has no definition'],
  ['a definition without a name', defined({ name: 5 }), 'tool "log" of server "git" has no definition'],
  ['a definition without a schema', defined({ inputSchema: 1 }), 'tool "log" of server "git" has no definition'],
  [
    'a definition that is no JSON',
    defined({ title: 5n }),
    'tool "log" of server "git" has a definition that contains a bigint',
  ],
  [
    'a definition that nests too deep',
    defined({ inputSchema: nested(200) }),
    'tool "log" of server "git" has a definition that nests deeper than 200 levels',
  ],
])('a list of pins with %s is refused', (_what, value, message) => {
  expect(() => checkPins(value)).toThrow(expect.objectContaining({ name: 'PinDataError', message }));
});

test('a definition that throws when it is read is refused', () => {
  const title = {
    get text() {
      throw new Error('not now');
    },
  };
  expect(() => checkPins(defined({ title }))).toThrow(
    'tool "log" of server "git" has a definition that cannot be read',
  );
});

describe('what was checked', () => {
  const checked = checkPins(inGit(fields));
  const [server] = checked;

  test('is a frozen copy, of the fields of a pin alone', () => {
    expect(checkPins([{ server: 'git', tools: [{ ...fields, note: 1 }], note: 2 }])).toEqual(inGit(fields));
    for (const part of [checked, server, server?.tools, server?.tools[0], server?.tools[0]?.definition])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test('is not checked again, part by part', () => {
    expect(checkPins(checked)).toBe(checked);
    expect(checkPins([server])[0]).toBe(server);
    expect(checkPins(inGit(server?.tools[0]))[0]?.tools[0]).toBe(server?.tools[0]);
  });
});

describe('a pin that the registry creates', () => {
  const made = (definition: unknown) => {
    const pin = makePin(definition as never, 'first-use');
    return { pin, kept: () => checkPins(inGit(pin))[0]?.tools[0] };
  };

  test('of a frozen tool is not checked again', () => {
    const { pin, kept } = made(Object.freeze(tool('log')));
    expect(kept()).toBe(pin);
  });

  test('of a mutable tool is checked again', () => {
    const properties: Record<string, unknown> = {};
    const { pin, kept } = made(tool('log', { inputSchema: { type: 'object', properties } }));
    expect(kept()).toEqual(pin);
    properties.path = { type: 'string' };
    expect(kept).toThrow('does not match its digest');
  });
});
