import { describe, expect, test } from 'vitest';
import { checkPins, makePin, PinDataError } from '../../src/pins/check-pins.js';
import { isFirstUse, judgeTool, toPinTable } from '../../src/pins/judge-tool.js';
import type { ToolPin } from '../../src/pins/pin-store.js';
import { type PinnedDefinition, toolDigest } from '../../src/pins/pinned-definition.js';
import { nearestPin } from '../../src/pins/similar-pins.js';
import { toolDiff } from '../../src/pins/tool-diff.js';
import { resolveTrust } from '../../src/pins/trust-policy.js';

const read: PinnedDefinition = { name: 'read', description: 'Reads a file', inputSchema: { type: 'object' } };

function pinOf(definition: PinnedDefinition, fields: Partial<ToolPin> = {}): ToolPin {
  return {
    ...{ tool: definition.name, digest: toolDigest(definition), definition },
    ...{ approvedAt: '2026-11-23T00:00:00.000Z', approvedBy: 'approval', ...fields },
  };
}

describe('pins from a store', () => {
  const valid = () => [{ server: 'files', tools: [pinOf(read)] }];

  test('are copied, frozen, and checked once', () => {
    const given = valid();
    const pins = checkPins(given);
    expect(pins).toEqual(given);
    expect(pins).not.toBe(given);
    expect(
      [pins, pins[0], pins[0]?.tools, pins[0]?.tools[0], pins[0]?.tools[0]?.definition].every(Object.isFrozen),
    ).toBe(true);
    expect(checkPins(pins)).toBe(pins);
    const [again] = checkPins([pins[0]]);
    expect(again).toBe(pins[0]);
    expect(checkPins([{ server: 'other', tools: pins[0]?.tools }])[0]?.tools[0]).toBe(pins[0]?.tools[0]);
  });

  const pin = pinOf(read);
  const deep = JSON.parse('['.repeat(300) + ']'.repeat(300));
  test.each([
    [null, 'it is not a list of servers'],
    ['files', 'it is not a list of servers'],
    [{}, 'it is not a list of servers'],
    [[null], 'entry 1 is not a server with tools'],
    [[...valid(), 5], 'entry 2 is not a server with tools'],
    [[{ server: 5, tools: [] }], 'entry 1 is not a server with tools'],
    [[{ server: 'files' }], 'entry 1 is not a server with tools'],
    [[{ tools: [] }], 'entry 1 is not a server with tools'],
    [[...valid(), ...valid()], 'server "files" stands in it twice'],
    [[{ server: 'files', tools: [null] }], 'a tool of server "files" has no name'],
    [[{ server: 'files', tools: ['read'] }], 'a tool of server "files" has no name'],
    [[{ server: 'files', tools: [{ ...pin, tool: 5 }] }], 'a tool of server "files" has no name'],
    [[{ server: 'files', tools: [pin, pin] }], 'tool "read" of server "files" stands in it twice'],
    [[{ server: 'files', tools: [{ ...pin, approvedAt: 5 }] }], 'tool "read" of server "files" has no approvedAt'],
    [
      [{ server: 'files', tools: [{ ...pin, approvedBy: 'me' }] }],
      'tool "read" of server "files" must have approvedBy "approval" or "first-use"',
    ],
    [[{ server: 'files', tools: [{ ...pin, definition: 5 }] }], 'tool "read" of server "files" has no definition'],
    [
      [{ server: 'files', tools: [{ ...pin, definition: { inputSchema: {} } }] }],
      'tool "read" of server "files" has no definition',
    ],
    [
      [{ server: 'files', tools: [{ ...pin, definition: { name: 'read', inputSchema: 5 } }] }],
      'tool "read" of server "files" has no definition',
    ],
    [
      [{ server: 'files', tools: [{ ...pin, tool: 'write' }] }],
      'tool "write" of server "files" has the definition of another tool',
    ],
    [
      [{ server: 'files', tools: [{ ...pin, digest: 'sha256:0' }] }],
      'tool "read" of server "files" has a definition that is not what its digest says',
    ],
    [
      [{ server: 'files', tools: [{ ...pin, definition: { ...read, inputSchema: { deep } } }] }],
      /^tool "read" of server "files" has a definition that .*200/,
    ],
  ])('that are none are refused: %j', (value, message) => {
    const check = () => checkPins(value);
    expect(check).toThrow(PinDataError);
    expect(check).toThrow(typeof message === 'string' ? new PinDataError(message) : message);
  });

  test('whose definition throws when it is read fail with that error', () => {
    const cause = new Error('broken');
    const inputSchema = {
      get type() {
        throw cause;
      },
    };
    const tools = [{ ...pin, definition: { ...read, inputSchema } }];
    expect(() => checkPins([{ server: 'files', tools }])).toThrow(/broken|has a definition that/);
  });

  test('a pin that was made of a frozen tool is not checked again, one of a tool that can change is', () => {
    const frozen = Object.freeze({ ...read, inputSchema: Object.freeze({ type: 'object' }) });
    const made = makePin(frozen as never, 'first-use');
    expect(made).toMatchObject({ tool: 'read', digest: toolDigest(read), approvedBy: 'first-use' });
    expect(Date.parse(made.approvedAt)).toBeLessThanOrEqual(Date.now());
    expect(checkPins([{ server: 'files', tools: [made] }])[0]?.tools[0]).toBe(made);
    const loose = makePin({ ...read } as never, 'approval');
    expect(checkPins([{ server: 'files', tools: [loose] }])[0]?.tools[0]).not.toBe(loose);
    expect(new PinDataError('x').name).toBe('PinDataError');
  });
});

describe('trust', () => {
  test.each([
    [undefined, 'all', 'all'],
    ['approve', 'approve', 'approve'],
    [{ default: 'pin-on-first-use' }, 'pin-on-first-use', 'pin-on-first-use'],
    [{ servers: { files: 'approve' } }, 'approve', 'all'],
    [{ default: 'approve', servers: { files: 'all' } }, 'all', 'approve'],
  ] as const)('%j: files %s, others %s', (trust, files, others) => {
    const policy = resolveTrust(trust);
    expect([policy.modeOf('files'), policy.modeOf('git'), policy.modeOf('constructor')]).toEqual([
      files,
      others,
      others,
    ]);
  });

  const modes = 'must be "all", "pin-on-first-use" or "approve", got';
  test.each([
    ['some', `trust ${modes} "some"`],
    [5, `trust ${modes} 5`],
    [null, `trust ${modes} null`],
    [{ default: 'some' }, `trust.default ${modes} "some"`],
    [{ servers: { files: 'some' } }, `trust.servers["files"] ${modes} "some"`],
    [{ servers: 5 }, 'trust.servers must be an object of modes by server names, got 5'],
    [{ servers: null }, 'trust.servers must be an object of modes by server names, got null'],
  ])('%j is refused by its name', (trust, message) => {
    expect(() => resolveTrust(trust as never)).toThrow(new TypeError(message));
  });

  test('a tool is judged by its mode and its pin', () => {
    const known = new Map([['read', pinOf(read)]]);
    const changed = { ...read, description: 'Reads and sends' };
    const judge = (mode: never, tool: PinnedDefinition, of: typeof known | undefined) =>
      judgeTool(mode, of, tool as never);
    expect(judge('all' as never, changed, known)).toBe('trusted');
    for (const mode of ['approve', 'pin-on-first-use'] as never[]) {
      expect(judge(mode, read, known)).toBe('trusted');
      expect(judge(mode, changed, known)).toBe('changed');
      expect(judge(mode, { ...read, name: 'write' }, known)).toBe('pending');
      expect(judge(mode, read, undefined)).toBe('pending');
    }
  });

  test('only the first listing with tools of an unknown server is taken as it is, in one mode', () => {
    expect(isFirstUse('pin-on-first-use', undefined, [read as never])).toBe(true);
    expect(isFirstUse('pin-on-first-use', undefined, [])).toBe(false);
    expect(isFirstUse('pin-on-first-use', new Map(), [read as never])).toBe(false);
    expect(isFirstUse('approve', undefined, [read as never])).toBe(false);
  });

  test('the table keeps the map of a server whose pins say the same', () => {
    const pins = (...tools: ToolPin[]) => checkPins([{ server: 'files', tools }]);
    const first = toPinTable(pins(pinOf(read)));
    const of = (table: typeof first) => table.get('files');
    expect(of(toPinTable(pins(pinOf(read)), first))).toBe(of(first));
    const write = { ...read, name: 'write' };
    for (const other of [
      pins(pinOf(read, { approvedAt: '2027-01-01T00:00:00.000Z' })),
      pins(pinOf(read, { approvedBy: 'first-use' })),
      pins(pinOf({ ...read, description: 'x' })),
      pins(pinOf(read), pinOf(write)),
      pins(pinOf(write)),
      pins(),
    ]) {
      const table = toPinTable(other, first);
      expect(of(table)).not.toBe(of(first));
      expect([...(of(table)?.values() ?? [])]).toEqual(other[0]?.tools);
    }
  });
});

describe('the pin that says most nearly the same', () => {
  const tool = (name: string, description: string, more: object = {}): PinnedDefinition => ({
    ...{ name, description, inputSchema: { type: 'object' }, ...more },
  });
  const send = tool('send', 'Sends one mail to somebody now');

  test.each([
    ['the same words', 'somebody now SENDS one mail to', 1],
    ['four of five words', 'Sends one mail to nobody', 0.8],
    ['three of four words', 'Sends one mail quickly', undefined],
    ['three words', 'Sends one mail', undefined],
    ['words that were added', `Sends one mail to somebody now ${'and then some more text here '.repeat(3)}`, 1],
  ])('%s: %s', (_, description, similarity) => {
    const found = nearestPin(tool('other', description), [pinOf(send)]);
    expect(found?.similarity).toBe(similarity);
  });

  test('is none of the same name, none that is much longer, and the first of the nearest', () => {
    expect(nearestPin(send, [pinOf(send)])).toBeUndefined();
    const words = Array.from({ length: 24 }, (_, index) => `word${index}`).join(' ');
    const long = pinOf(tool('long', `Sends one mail to somebody now ${words}`));
    expect(nearestPin(tool('other', 'Sends one mail to somebody now'), [long])).toBeUndefined();
    const shorter = pinOf(tool('long', `Sends one mail to somebody now ${words.split(' ').slice(0, 18).join(' ')}`));
    expect(nearestPin(tool('other', 'Sends one mail to somebody now'), [shorter])?.similarity).toBe(1);
    const near = pinOf(tool('near', 'Sends one mail to nobody'));
    const [exact, second] = [pinOf(send), pinOf({ ...send, name: 'second' })];
    expect(nearestPin(tool('x', 'Sends one mail to somebody now'), [near, exact, second])?.pin).toBe(exact);
  });

  test('counts titles, and names and descriptions of parameters, which need not be objects', () => {
    const schema = (properties: unknown) => ({ inputSchema: { type: 'object', properties } as never });
    const described = tool('a', '', {
      title: 'Mail',
      ...schema({ recipient: { description: 'whom to write' }, odd: true }),
    });
    const found = nearestPin({ ...described, name: 'b' }, [pinOf(described)]);
    expect(found?.similarity).toBe(1);
    for (const properties of [undefined, null, 'text', { recipient: null, subject: 5, body: { description: 5 } }]) {
      const odd = tool('odd', 'Sends one mail to somebody now', schema(properties));
      expect(nearestPin({ ...odd, name: 'c' }, [pinOf(odd)])?.similarity).toBe(1);
    }
  });
});

describe('a difference as text', () => {
  test('without a definition before, everything is new', () => {
    expect(toolDiff(undefined, read)).toBe(
      [
        ...['--- name (approved)', '+++ name (offered)', '@@ -0,0 +1,1 @@', '+read'],
        ...['--- description (approved)', '+++ description (offered)', '@@ -0,0 +1,1 @@', '+Reads a file'],
        ...[
          '--- inputSchema (approved)',
          '+++ inputSchema (offered)',
          '@@ -0,0 +1,3 @@',
          '+{',
          '+  "type": "object"',
          '+}',
        ],
      ].join('\n'),
    );
  });

  test('a field that is gone, and one that has changed, are shown with their lines', () => {
    expect(toolDiff({ ...read, title: 'Read' }, { ...read, description: 'Reads two files' })).toBe(
      [
        ...['--- title (approved)', '+++ title (offered)', '@@ -1,1 +0,0 @@', '-Read'],
        ...['--- description (approved)', '+++ description (offered)', '@@ -1,1 +1,1 @@'],
        ...['-Reads a file', '+Reads two files'],
      ].join('\n'),
    );
  });

  test('values that fold to the same lines are shown as JSON', () => {
    const sentence = `${'x'.repeat(150)}. `;
    const folded = `${sentence}${sentence}`;
    const diff = toolDiff({ ...read, description: folded }, { ...read, description: `${sentence}\n  ↳ ${sentence}` });
    expect(diff.split('\n')).toHaveLength(4);
    expect(diff).toContain(`-${JSON.stringify(folded)}`);
  });

  test('a line of 160 characters stays whole, a longer one is folded after sentences and cut where there are none', () => {
    const lines = (description: string) =>
      toolDiff(undefined, { name: 'n', description, inputSchema: {} }).split('\n').slice(7, -4);
    expect(lines('x'.repeat(160))).toEqual([`+${'x'.repeat(160)}`]);
    expect(lines('x'.repeat(161))).toEqual([`+${'x'.repeat(160)}`, '+  ↳ x']);
    expect(lines(`${'y'.repeat(158)}. Then? Now`)).toEqual([`+${'y'.repeat(158)}. `, '+  ↳ Then? ', '+  ↳ Now']);
  });

  test.each([
    [5_000, 5_000, undefined],
    [5_001, 5_001, '… 1 more lines that differ'],
  ])('of %i lines it has %i', (count, length, last) => {
    const description = Array.from({ length: count }, (_, index) => `${index}`).join('\n');
    const lines = toolDiff(undefined, { name: 'n', description, inputSchema: {} }).split('\n').slice(6, -4);
    expect(lines).toHaveLength(length);
    if (last !== undefined) expect(lines.at(-1)).toBe(last);
    else expect(lines.at(-1)).toBe(`+${count - 1}`);
  });
});
