import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { DocumentShape, EntryEdit, JsonValue } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';

const shape: DocumentShape = { dialect: 'toml', keyPath: ['mcp_servers'], collection: 'map' };
const demo: EntryEdit = { type: 'add', name: 'demo', entry: { command: 'x', env: { K: 'v' } } };
const removeDemo: EntryEdit = { type: 'remove', name: 'demo' };
const tables = '[mcp_servers.demo]\ncommand = "x"\n\n[mcp_servers.demo.env]\nK = "v"';

describe('removing', () => {
  test.each([
    ['at the end', 'a = 1\n\n', '\n# below\n'],
    ['before a blank line', 'a = 1\n\n', '\n# below\n\n[b]\n'],
    ['at the start', '', '\n# below\n'],
  ])('keeps a comment directly below, %s', (_, above, below) => {
    const { text } = editEntries(`${above}${tables}${below}`, shape, [removeDemo]);
    expect(text).toBe(`${above.trimEnd()}${above === '' ? below.trimStart() : below}`);
  });
});

describe('adding', () => {
  test.each([
    ['to nothing', '', `${tables}\n`],
    ['a last line without a line end gets none', 'a = 1', `a = 1\n\n${tables}`],
    ['below a text of comments only', '# top\n', `# top\n\n${tables}\n`],
    [
      'below the comments of the last table, above those of the next',
      '[mcp_servers.a]\ncommand = "a"\n# args = []\n\n# look\n[tui]\n',
      `[mcp_servers.a]\ncommand = "a"\n# args = []\n\n${tables}\n\n# look\n[tui]\n`,
    ],
    [
      'a comment right above the next table stays with it',
      '[mcp_servers.a]\n# look\n[tui]\n',
      `[mcp_servers.a]\n\n${tables}\n# look\n[tui]\n`,
    ],
    [
      'behind what the host keeps in tables of the last server',
      '[mcp_servers.a]\n\n[[mcp_servers.a.rules]]\nx = 1\n\n[b]\n',
      `[mcp_servers.a]\n\n[[mcp_servers.a.rules]]\nx = 1\n\n${tables}\n\n[b]\n`,
    ],
    ['below an empty header', '[mcp_servers]\n\n[b]\n', `[mcp_servers]\n\n${tables}\n\n[b]\n`],
    [
      'indented like the server above',
      '  [mcp_servers.a]\n  command = "a"\n',
      `  [mcp_servers.a]\n  command = "a"\n\n${tables.replace(/^(?=.)/gm, '  ')}\n`,
    ],
    ['CRLF', '[mcp_servers.a]\r\nb = 1\r\n', `[mcp_servers.a]\r\nb = 1\r\n\r\n${tables.replaceAll('\n', '\r\n')}\r\n`],
    [
      'inside an inline table',
      'mcp_servers = { a = { command = "a" } } # all\n',
      'mcp_servers = { a = { command = "a" }, demo = { command = "x", env = { K = "v" } } } # all\n',
    ],
    [
      'in place of an empty inline table',
      'mcp_servers = { }\n',
      'mcp_servers = { demo = { command = "x", env = { K = "v" } } }\n',
    ],
  ])('%s', (_, before, after) => {
    const added = editEntries(before, shape, [demo]);
    expect(added.text).toBe(after);
    const removeEmptyContainer = added.origin ?? false;
    expect(editEntries(after, shape, [removeDemo], { removeEmptyContainer }).text).toBe(before);
  });

  test.each<[string, JsonValue]>([
    ['control characters', '\u0000\u0007\b\t\n\u001f\u007f"\\'],
    ['characters beyond the first plane', '🙂\u2028\ufeff'],
    ['a number beyond the safe whole ones', 1e20],
    ['a very small number', 1e-7],
    ['a very large number', 1e300],
    ['lists of lists and maps', [[1, 'a'], [], { a: { b: [true] } }]],
    ['an empty map', {}],
    ['a map in a map', { a: { b: {} }, c: 1 }],
  ])('%s are read back by another parser', (name, value) => {
    const { text } = editEntries('', shape, [{ type: 'add', name, entry: { value, after: 1 } }]);
    expect(readEntries(text, shape).get(name)).toEqual({ value, after: 1 });
    const table = parse(text).mcp_servers as Record<string, unknown>;
    expect(JSON.parse(JSON.stringify(table[name]))).toEqual({ value, after: 1 });
  });

  test.each(['a.b', 'with space', 'ü', 'quo"te', "it's", '__proto__', '', '1', 'a\nb'])(
    'treats %j as an ordinary name',
    (name) => {
      const { text } = editEntries('', shape, [{ type: 'add', name, entry: { env: { [name]: name } } }]);
      expect([...readEntries(text, shape)]).toEqual([[name, { env: { [name]: name } }]]);
      expect(Object.keys(parse(text).mcp_servers as object)).toEqual([name]);
    },
  );
});

describe('removing', () => {
  test('removes all tables and keeps the comment that introduces the next section', () => {
    const before = `# servers\n${tables}\n\n[mcp_servers.demo.tools.a]\nmode = "ask"\n\n# look\n[tui]\n`;
    expect(editEntries(before, shape, [removeDemo]).text).toBe('# servers\n\n# look\n[tui]\n');
  });

  test('removes separate tables one by one', () => {
    const before = '[mcp_servers.demo]\na = 1\n\n[b]\n\n[mcp_servers.demo.env]\nK = "v"\n\n[c]\n';
    expect(editEntries(before, shape, [removeDemo]).text).toBe('[b]\n\n[c]\n');
  });

  test('removes an entry on one line with its line', () => {
    const before = '[mcp_servers]\na = { command = "a" }\ndemo = { command = "x" } # mine\n';
    expect(editEntries(before, shape, [removeDemo]).text).toBe('[mcp_servers]\na = { command = "a" }\n');
  });
});

describe('updating', () => {
  const update = (text: string, edit: Omit<EntryEdit & { type: 'update' }, 'type' | 'name'>) =>
    editEntries(text, shape, [{ type: 'update', name: 'demo', ...edit }]).text;

  test('sets fields where their neighbours are: in the table, in its sub-tables or on one line', () => {
    const before = `[mcp_servers.demo]
command   =   "old"   # ours
http_headers = { A = "1" }   # inline
enabled_tools = ["a"]

[mcp_servers.demo.env]
K = "v" # env

[mcp_servers.demo.tools.search]
approval_mode = "approve"
`;
    const set = [
      { path: ['command'], value: 'new' },
      { path: ['http_headers', 'B'], value: '2' },
      { path: ['http_headers', 'A'], value: '3' },
      { path: ['env', 'L'], value: 'w' },
      { path: ['args'], value: ['-y'] },
      { path: ['more', 'deep'], value: 1 },
    ];
    expect(update(before, { set, unset: [['enabled_tools']] })).toBe(`[mcp_servers.demo]
command   =   "new"   # ours
http_headers = { A = "3", B = "2" }   # inline
args = ["-y"]

[mcp_servers.demo.env]
K = "v" # env
L = "w"

[mcp_servers.demo.tools.search]
approval_mode = "approve"

[mcp_servers.demo.more]
deep = 1
`);
  });

  test('adds a table for a field of an entry that has none', () => {
    const before = '[mcp_servers.demo.env]\nK = "v"\n';
    const set = [{ path: ['command'], value: 'x' }];
    expect(update(before, { set, unset: [] })).toBe(`${before}\n[mcp_servers.demo]\ncommand = "x"\n`);
  });

  test('replaces the value of a dotted key in place', () => {
    const before = '[mcp_servers.demo]\nenv.K = "v" # k\n';
    expect(update(before, { set: [{ path: ['env', 'K'], value: 'w' }], unset: [] })).toBe(before.replace('"v"', '"w"'));
  });

  describe.each([
    ['in the table of the entry', '[mcp_servers.demo]\ncommand = "x"\n«env.K = "v" # k»\ncwd = "/"\n', 'env.'],
    ['in the table above', '[mcp_servers]\ndemo.command = "x"\n  «demo.env.K = "v"»\n[tui]\n', 'demo.env.'],
    ['at the start', 'mcp_servers.demo.command = "x"\r\n«mcp_servers.demo.env.K = "v"»\r\n', 'mcp_servers.demo.env.'],
    ['in a list of tables', '[[list]]\n[mcp_servers.demo]\n«env."K" = "v"»\n\n[tui]\n', 'env.'],
  ])('dotted keys %s', (_, marked, prefix) => {
    const before = marked.replace(/[«»]/g, '');
    const added = `${prefix}L = "w"`;
    const lineEnd = before.includes('\r') ? '\r\n' : '\n';
    const envWith = (value: Record<string, string>) => update(before, { set: [{ path: ['env'], value }], unset: [] });

    test('gain a variable', () => {
      const indent = before.includes('  demo') ? '  ' : '';
      expect(envWith({ K: 'v', L: 'w' })).toBe(marked.replace(/«(.*)»/, `$1${lineEnd}${indent}${added}`));
    });

    test('lose one, and get another', () => {
      expect(envWith({ L: 'w' })).toBe(marked.replace(/«.*»/, added));
    });

    test('go with the field', () => {
      expect(update(before, { set: [], unset: [['env']] })).toBe(marked.replace(/[ ]*«.*»\r?\n/, ''));
    });

    test('go with the entry, and leave the rest', () => {
      const rest = marked.includes('[tui]') ? marked.slice(marked.indexOf('[tui]')) : '';
      const left = editEntries(before, shape, [removeDemo]).text;
      expect(left.trimStart().replace('[mcp_servers]\n', '').replace('[[list]]\n', '').trimStart()).toBe(rest);
    });

    test('are refused with their place where a value would replace them', () => {
      const line = marked.slice(0, marked.indexOf('«')).split('\n').length;
      expect(() => update(before, { set: [{ path: ['env'], value: 'x' }], unset: [] })).toThrow(
        expect.objectContaining({ code: 'unsupported-shape', line, message: expect.stringContaining('Dotted keys') }),
      );
    });
  });

  test('dotted keys of an inline table gain and lose a variable, and go with the field', () => {
    const before = '[mcp_servers]\ndemo = { command = "x", env.K = "v" } # mine\n';
    const envWith = (value: Record<string, string>) => update(before, { set: [{ path: ['env'], value }], unset: [] });
    expect(envWith({ K: 'v', L: 'w' })).toBe(before.replace('"v"', '"v", env.L = "w"'));
    expect(envWith({ L: 'w' })).toBe(before.replace('env.K = "v"', 'env.L = "w"'));
    expect(update(before, { set: [], unset: [['env']] })).toBe(before.replace(', env.K = "v"', ''));
    const two = before.replace('"v"', '"v", env.L = "w"');
    expect(() => update(two, { set: [], unset: [['env']] })).toThrow(
      expect.objectContaining({ code: 'unsupported-shape', line: 2, column: 25 }),
    );
  });

  test('an entry with dotted keys and a table loses both', () => {
    const before = 'mcp_servers.demo.command = "x"\n\n[mcp_servers.demo.env]\nK = "v"\n\n[tui]\n';
    expect(editEntries(before, shape, [removeDemo]).text).toBe('\n[tui]\n');
  });

  test('keeps the spelling of an equal number', () => {
    const before = '[mcp_servers.demo]\ntimeout = 1_0.0\n';
    expect(update(before, { set: [{ path: ['timeout'], value: 10 }], unset: [] })).toBe(before);
  });
});

test('keeps a comment below a removed table, regardless of earlier edits', () => {
  const text = '\n[mcp_servers.a]\n\n[mcp_servers.aa]\n# below\n';
  const set = [
    { path: ['command'], value: 'x' },
    { path: ['env'], value: {} },
  ];
  const edits: readonly EntryEdit[] = [
    { type: 'update', name: 'a', set, unset: [] },
    { type: 'remove', name: 'a' },
    { type: 'remove', name: 'aa' },
  ];
  expect(editEntries(text, shape, edits).text).toBe('\n# below\n');
});

test('reads dates as text', () => {
  const text = '[mcp_servers.demo]\nsince = 1979-05-27\nlarge = 9007199254740993\n';
  expect(readEntries(text, shape).get('demo')).toEqual({ since: '1979-05-27', large: 9007199254740992 });
});

describe('a list of servers', () => {
  const list: DocumentShape = { dialect: 'toml', keyPath: ['mcp_servers'], collection: 'sequence-by-name' };
  const own: EntryEdit = { type: 'add', name: 'demo', entry: { name: 'demo', command: 'x', env: { K: 'v' } } };
  const item = '[[mcp_servers]]\nname = "demo"\ncommand = "x"\n\n[mcp_servers.env]\nK = "v"';
  const inline = '{ name = "demo", command = "x", env = { K = "v" } }';

  test.each([
    ['to nothing', '', `${item}\n`],
    ['below other settings', 'model = "x" # kept\n', `model = "x" # kept\n\n${item}\n`],
    [
      'below the tables of the last item',
      '[[mcp_servers]]\nname = "a"\n\n[mcp_servers.env]\nA = "1" # a\n\n# look\n[tui]\n',
      `[[mcp_servers]]\nname = "a"\n\n[mcp_servers.env]\nA = "1" # a\n\n${item}\n\n# look\n[tui]\n`,
    ],
    ['in place of an empty array', 'mcp_servers = []\nz = 1\n', `mcp_servers = [${inline}]\nz = 1\n`],
    [
      'in an array that has only a comment',
      'mcp_servers = [\n  # mine\n]\n',
      `mcp_servers = [\n  # mine\n  ${inline}\n]\n`,
    ],
    [
      'in an array on several lines',
      'mcp_servers = [\n    { name = "a" }, # a\n]\n',
      `mcp_servers = [\n    { name = "a" }, # a\n    ${inline},\n]\n`,
    ],
  ])('gets an item %s, and loses it again', (_, before, after) => {
    const added = editEntries(before, list, [own]);
    expect(added.text).toBe(after);
    const removeEmptyContainer = added.origin ?? false;
    expect(editEntries(after, list, [removeDemo], { removeEmptyContainer }).text).toBe(before);
  });

  test('changes fields of the item with the name, in each form of a list', () => {
    const set = [
      { path: ['command'], value: 'y' },
      { path: ['env', 'L'], value: 'w' },
      { path: ['auth'], value: { type: 'static' } },
    ];
    const edit: EntryEdit = { type: 'update', name: 'demo', set, unset: [['cwd']] };
    const other = '[[mcp_servers]]\nname = "z"\n';
    expect(editEntries(`${item.replace('"x"', '"x" # c\ncwd = "/"')}\n\n${other}`, list, [edit]).text).toBe(
      `${item.replace('"x"', '"y" # c')}\nL = "w"\n\n[mcp_servers.auth]\ntype = "static"\n\n${other}`,
    );
    expect(editEntries(`mcp_servers = [ { name = "z" }, ${inline} ]\n`, list, [edit]).text).toBe(
      'mcp_servers = [ { name = "z" }, { name = "demo", command = "y", env = { K = "v", L = "w" }, auth = { type = "static" } } ]\n',
    );
  });

  test('with two items of the name is not edited', () => {
    const text = '[[mcp_servers]]\nname = "demo"\n\n[[mcp_servers]]\nname = "demo"\n';
    expect(() => editEntries(text, list, [removeDemo])).toThrow('Two items of the list have the name');
  });

  test('in tables by name is not edited', () => {
    expect(() => editEntries('[mcp_servers.a]\ncommand = "a"\n', list, [own])).toThrow('must be a list but is a map');
  });
});
