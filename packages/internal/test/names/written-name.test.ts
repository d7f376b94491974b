import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayBeDigestOf, publicName } from '../../src/names/public-name.js';
import {
  FLEET_WIDE,
  fleetName,
  isFleetName,
  readingsOf,
  readName,
  shownName,
  toolOwners,
} from '../../src/names/written-name.js';

const among =
  (...servers: readonly string[]) =>
  (name: string): boolean =>
    servers.includes(name);

describe('a written name', () => {
  test.each([
    ['my.db.query', ['my', 'my.db'], { server: 'my.db', part: 'query' }],
    ['my.db.query', ['my'], { server: 'my', part: 'db.query' }],
    ['my/db/query', ['my', 'my/db'], { server: 'my/db', part: 'query' }],
    ['my.db/query', ['my.db'], { server: 'my.db', part: 'query' }],
    ['my.db', ['my', 'my.db'], { server: 'my.db', part: undefined }],
    ['my.', ['my'], { server: 'my', part: '' }],
    ['.my', [''], undefined],
    ['query', ['my'], undefined],
    ['mcp__my__query', ['my'], { server: 'my', part: 'query' }],
    ['mcp__my__query', ['my', 'mcp__my__query'], { server: 'my', part: 'query' }],
    ['mcp__my__query', ['mcp__my__query'], { server: 'mcp__my__query', part: undefined }],
    ['mcp__my__db__query', ['my__db', 'my'], { server: 'my', part: 'db__query' }],
    ['mcp__my__db__query', ['my__db'], undefined],
    ['mcp__my__db__*', ['my__db', 'my'], { server: 'my__db', part: '*' }],
    ['mcp__my.db__query', ['my.db'], undefined],
    ['mcp__my.db__query*', ['my.db'], { server: 'my.db', part: 'query*' }],
    ['mcp____query', [''], undefined],
    ['mcp____q*', [''], undefined],
    ['Mcp__my__query', ['my'], undefined],
    ['Mcp__my__q*', ['my'], undefined],
  ])('%s among %j', (written, servers, expected) => {
    expect(readName(written, among(...servers))).toEqual(expected);
  });

  test('of a URI ends the server with a dot alone', () => {
    expect(readName('my.file://a/b', among('my', 'my.file://a'), 'uri')).toEqual({ server: 'my', part: 'file://a/b' });
    expect(readName('my/db', among('my'), 'uri')).toBeUndefined();
    expect(readName('mcp__my__a', among('my'), 'uri')).toBeUndefined();
  });

  test('is read in this order: as a public name, as a server, with the longest server first', () => {
    expect(Array.from(readingsOf('mcp__a__b.c/d'))).toEqual([
      { server: 'mcp__a__b.c/d', part: undefined },
      { server: 'mcp__a__b.c', part: 'd' },
      { server: 'mcp__a__b', part: 'c/d' },
    ]);
    expect(Array.from(readingsOf('mcp__a__b__c'))).toEqual([
      { server: 'a', part: 'b__c' },
      { server: 'mcp__a__b__c', part: undefined },
    ]);
    expect(Array.from(readingsOf('mcp__a__b__*'))).toEqual([
      { server: 'a__b', part: '*' },
      { server: 'a', part: 'b__*' },
      { server: 'mcp__a__b__*', part: undefined },
    ]);
  });

  test('has a server of at most 256 characters', () => {
    const server = 's'.repeat(256);
    expect(readName(`${server}.t`, among(server))).toEqual({ server, part: 't' });
    expect(readName(`${server}s.t`, among(`${server}s`))).toBeUndefined();
    expect(readName(`mcp__${server}__*`, among(server))).toEqual({ server, part: '*' });
    expect(readName(`mcp__${server}s__*`, among(`${server}s`))).toBeUndefined();
  });

  test('of nothing but dots is read in little time', () => {
    expect(Array.from(readingsOf('.'.repeat(100_000)))).toHaveLength(257);
  });

  test('that is a public name means the tool that has it', () => {
    const text = fc.stringMatching(/^[a_.-]{1,6}$/);
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 4 }), (server, tool, others) => {
        const owners = toolOwners(publicName(server, tool), [...others, server]);
        const isOwner = owners.some((owner) => owner.server === server && (owner.tool ?? tool) === tool);
        expect(isOwner).toBe(true);
      }),
    );
  });
});

describe('the owners of a tool', () => {
  test('are the server of the name, or none', () => {
    expect(toolOwners('my.db.query', ['my', 'my.db'])).toEqual([{ server: 'my.db', tool: 'query' }]);
    expect(toolOwners('my', ['my'])).toEqual([]);
    expect(toolOwners('query', ['my'])).toEqual([]);
  });

  test('are all servers whose tools may have a name with this digest', () => {
    const name = publicName('my.db', 'query');
    expect(toolOwners(name, ['my', 'my.db', 'my_db', 'my-db'])).toEqual([
      { server: 'my.db', tool: undefined },
      { server: 'my_db', tool: undefined },
    ]);
  });
});

test('a name with a digest may be one of the servers whose text it begins with, whole or cut', () => {
  const long = 'a'.repeat(40);
  expect(mayBeDigestOf('my.db', publicName('my.db', 't'))).toBe(true);
  expect(mayBeDigestOf('my', publicName('my.db', 't'))).toBe(false);
  expect(mayBeDigestOf(long, publicName(long, 't'.repeat(40)))).toBe(true);
  expect(mayBeDigestOf('a'.repeat(25), publicName('a'.repeat(25), 't.'))).toBe(true);
  expect(mayBeDigestOf('my', publicName('my', 't'))).toBe(false);
});

test('recognizes what a fleet names, and nothing else', () => {
  expect(isFleetName(fleetName('files', 'builder'))).toBe(true);
  expect(isFleetName(fleetName('a@b', FLEET_WIDE))).toBe(true);
  for (const name of ['files', '@acme/db', 'me@example.com', 'files@', '']) expect(isFleetName(name)).toBe(false);
});

test.each(['a', 'git hub', 'ö', '🔧'.repeat(128), 'a'.repeat(128)])('accepts the name %j', (name) => {
  expect(shownName.test(name)).toBe(true);
});

test.each(['', ' a', 'a ', 'a\nb', 'a\0', 'a\u200b', '\ud800', 'a'.repeat(129)])('refuses the name %j', (name) => {
  expect(shownName.test(name)).toBe(false);
});
