import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findHost } from '../../src/adapters/all-hosts.js';
import { readEntries } from '../../src/edit/edit-entries.js';
import { documentLayout } from '../../src/entry/entry-form.js';
import { type HostServer, planSync, type SyncPlan, type SyncStep } from '../../src/index.js';
import { documentOf, type Moment, moment, sync, typesOf } from '../helpers/in-memory-sync.js';

const files: HostServer = { name: 'files', transport: 'stdio', command: 'uvx', args: ['files-mcp'] };
const search: HostServer = { name: 'search', transport: 'http', url: 'https://example.com/mcp' };

const host = 'cursor-user';
const added = sync(moment(host), [files]);

function edited(text: string | undefined, from: string, to: string): string {
  expect(text).toContain(from);
  return (text ?? '').replace(from, to);
}

function countOf({ steps }: SyncPlan, type: SyncStep['type']): number {
  return steps.filter((step) => step.type === type).length;
}

/** Changes the file as a user would. */
function editedByHand(from: string, to: string, { after } = added): Moment {
  return { ...after, text: edited(after.text, from, to) };
}

describe('an entry that the user edited', () => {
  const now = editedByHand('files-mcp', 'files-mcp@2');

  test('is a conflict and stays unchanged', () => {
    const { plan } = sync(now, [{ ...files, args: ['other'] }]);
    expect(plan.steps).toMatchObject([{ type: 'conflict', server: 'files', reason: 'edited-entry' }]);
    expect(plan.files).toEqual([]);
  });

  test('is a conflict even if the wanted entry is the same as before', () => {
    expect(typesOf(sync(now, [files]).plan)).toEqual(['conflict files']);
  });

  test('is not removed', () => {
    const { plan } = sync(now, []);
    expect(plan.steps).toMatchObject([{ type: 'conflict', reason: 'edited-entry' }]);
    expect(plan.files).toEqual([]);
  });

  test('is changed and removed by force', () => {
    expect(sync(now, [files], { force: true }).after.text).toBe(added.after.text);
    expect(sync(now, [], { force: true }).after).toEqual(moment(host));
  });

  test('is accepted again once it equals the wanted entry', () => {
    const adopted = sync(now, [{ ...files, args: ['files-mcp@2'] }]);
    expect(typesOf(adopted.plan)).toEqual(['keep files']);
    expect(adopted.after.text).toBe(now.text);
    expect(typesOf(sync(adopted.after, []).plan)).toEqual(['remove files']);
  });

  test('does not stop the sync of others', () => {
    const { plan, after } = sync(now, [files, search]);
    expect(typesOf(plan)).toEqual(['conflict files', 'add search']);
    expect(after.text).toContain('files-mcp@2');
  });
});

describe('an entry that the user removed', () => {
  const now = { ...added.after, text: '{}' };

  test('is not added again without force', () => {
    const { plan } = sync(now, [files]);
    expect(plan.steps).toMatchObject([{ type: 'conflict', reason: 'removed-entry' }]);
    expect(plan.files).toEqual([]);
    expect(typesOf(sync(now, [files], { force: true }).plan)).toEqual(['add files']);
  });

  test('is forgotten once it is no longer wanted', () => {
    const forgotten = sync(now, []);
    expect(forgotten.plan.steps).toEqual([]);
    expect(forgotten.plan.files).toMatchObject([{ effect: 'record' }]);
    expect(forgotten.after).toEqual({ ...now, ownership: { files: [] } });
  });
});

describe('an entry of another program', () => {
  const theirs = moment(host, '{ "mcpServers": { "files": { "command": "theirs", "envFile": "x", "auth": {} } } }');

  test('is a conflict and never removed', () => {
    expect(sync(theirs, [files]).plan.steps).toMatchObject([{ type: 'conflict', reason: 'foreign-entry' }]);
    expect(sync(theirs, []).plan.steps).toEqual([]);
  });

  test('is kept without a record if it equals the wanted entry', () => {
    const same = moment(host, added.after.text);
    const { plan, after } = sync(same, [files]);
    expect(typesOf(plan)).toEqual(['keep files']);
    expect(after).toEqual(same);
    expect(sync(after, []).plan.steps).toEqual([]);
  });

  test('is taken over by force, except for fields of the host', () => {
    const forced = sync(theirs, [files], { force: true });
    expect(JSON.parse(forced.after.text ?? '').mcpServers.files).toEqual({
      command: 'uvx',
      args: ['files-mcp'],
      auth: {},
    });
    expect(typesOf(sync(forced.after, []).plan)).toEqual(['remove files']);
  });

  test('is replaced by force even if it is not a map', () => {
    const forced = sync(moment(host, '{"mcpServers":{"files":7}}'), [files], { force: true });
    expect(JSON.parse(forced.after.text ?? '').mcpServers.files).toEqual({ command: 'uvx', args: ['files-mcp'] });
  });
});

describe('the toggle of an entry', () => {
  const roo = sync(moment('roo-user'), [files]);
  const entryOf = ({ text }: Moment) => JSON.parse(text ?? '').mcpServers.files;
  const offByHost = { ...roo.after, text: edited(roo.after.text, '"command"', '"disabled": true, "command"') };

  test('stays as the user set it', () => {
    const { plan, after } = sync(offByHost, [{ ...files, args: ['b'] }]);
    expect(typesOf(plan)).toEqual(['change files']);
    expect(entryOf(after)).toEqual({ command: 'uvx', args: ['b'], disabled: true });
  });

  const switchedOff = [{ enabled: false }, { disabled: true }, { enabled: true, disabled: true }];

  test.each(switchedOff)('follows a change of the server: %j', (fields) => {
    const off = sync(roo.after, [{ ...files, ...fields }]);
    expect(typesOf(off.plan)).toEqual(['change files']);
    expect(entryOf(off.after)).toMatchObject({ disabled: true });

    const on = sync(off.after, [files]);
    expect(typesOf(on.plan)).toEqual(['change files']);
    expect(on.after.text).toBe(roo.after.text);
  });

  test.each(switchedOff)('a host without a toggle does not get a disabled server: %j', (fields) => {
    const off = sync(added.after, [{ ...files, ...fields }]);
    expect(typesOf(off.plan)).toEqual(['remove files']);
    expect(off.plan.issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning', server: 'files' }]);
  });
});

describe('owners', () => {
  const both = sync(added.after, [search], { owner: 'extension' });

  test('remove only their own entries', () => {
    expect(typesOf(both.plan)).toEqual(['add search']);
    const withoutOurs = sync(both.after, []);
    expect(typesOf(withoutOurs.plan)).toEqual(['remove files']);
    expect(typesOf(sync(withoutOurs.after, [], { owner: 'extension' }).plan)).toEqual(['remove search']);
    expect(sync(withoutOurs.after, [], { owner: 'extension' }).after).toEqual(moment(host));
  });

  test('cannot share a name', () => {
    const { plan } = sync(both.after, [{ ...files, command: 'other' }, search], { owner: 'extension' });
    expect(typesOf(plan)).toEqual(['conflict files', 'keep search']);
  });
});

describe('recovers from a killed process', () => {
  const {
    files: [change],
  } = added.plan;
  const content = change?.content.open();
  const intent = { files: content === undefined ? [] : [content.pending] };

  test('before the write: the entry is added', () => {
    const now = { host, text: undefined, ownership: intent };
    expect(typesOf(sync(now, [files]).plan)).toEqual(['add files']);
    expect(sync(now, []).after).toEqual(moment(host));
  });

  test('after the write: the entry is recognized', () => {
    const now = { host, text: content?.text, ownership: intent };
    const { plan, after } = sync(now, [files]);
    expect(typesOf(plan)).toEqual(['keep files']);
    expect(after).toEqual(added.after);
    expect(sync(now, []).after).toEqual(moment(host));
  });

  test('in a change: old and new entry are recognized', () => {
    const changed = sync(added.after, [{ ...files, args: ['b'] }]);
    const ownership = { files: changed.plan.files.map((file) => file.content.open().pending) };
    for (const text of [added.after.text, changed.after.text]) {
      expect(sync({ host, text, ownership }, []).after).toEqual(moment(host));
    }
  });

  test('in a removal: recognized whether removed or not', () => {
    const removed = sync(added.after, []);
    const ownership = { files: removed.plan.files.map((file) => file.content.open().pending) };
    expect(typesOf(sync({ host, text: added.after.text, ownership }, []).plan)).toEqual(['remove files']);
    expect(typesOf(sync({ host, text: undefined, ownership }, [files]).plan)).toEqual(['add files']);
    expect(sync({ host, text: undefined, ownership }, []).after).toEqual(moment(host));
  });
});

describe('secrets', () => {
  const planted = [
    'sentinel-env',
    'sentinel-header',
    'sentinel-arg',
    'sentinel-url',
    'sentinel-theirs',
    'sentinel-value',
  ];
  const secretive: readonly HostServer[] = [
    {
      name: 'a',
      transport: 'stdio',
      command: 'x',
      args: ['--api-key', 'sentinel-arg', `y \${V}`],
      env: { PLAIN: 'sentinel-env' },
    },
    {
      name: 'b',
      transport: 'http',
      url: 'https://u:sentinel-url@example.com/?access_token=sentinel-url',
      headers: { Authorization: 'Bearer sentinel-header' },
    },
  ];
  const text =
    '{ "mcpServers": { "a": { "command": "x", "env": { "T": "sentinel-theirs" }, "apiKey": "sentinel-theirs" } } }';
  const options = { bridgeRemote: true, writeSecrets: { V: 'sentinel-value' } };

  test.each(['claude-desktop', 'zed-user', 'codex-user', 'goose-user', 'cursor-user'])(
    'do not appear in a plan for %s, in any printed form',
    (id) => {
      for (const force of [true, false]) {
        const { plan, after } = sync(moment(id, id === 'claude-desktop' ? text : undefined), secretive, {
          ...options,
          force,
        });
        const again = sync(after, [], options);
        const shown = [plan, again.plan].flatMap((each) => [
          JSON.stringify(each),
          inspect(each, { depth: 9 }),
          String(each.files[0]?.content),
        ]);
        for (const secret of planted) expect(shown.join('\n')).not.toContain(secret);
      }
    },
  );

  test('are marked when they change', () => {
    const before = sync(moment(host), [{ ...files, env: { KEY: 'one', SAME: 'same' } }]);
    const { plan } = sync(before.after, [{ ...files, env: { KEY: 'two', SAME: 'same' } }]);
    expect(plan.steps[0]?.diff).toContain('-    "KEY": "***"');
    expect(plan.steps[0]?.diff).toContain('+    "KEY": "*** (changed)"');
    expect(plan.steps[0]?.diff).toContain('     "SAME": "***"');
  });

  test('are hidden also if encoded or spelled differently', () => {
    const value = 'pass word/ä?"1';
    const base64 = Buffer.from(`ann:${value}`).toString('base64');
    const hidden = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64];
    const theirs = {
      command: 'x',
      note: base64,
      args: hidden,
      url: `https://example.com/${encodeURIComponent(value)}/x`,
    };
    const text = JSON.stringify({ context_servers: { a: theirs } });
    const ours: HostServer = { name: 'a', transport: 'stdio', command: 'x', args: [`\${V}`, 'shown'] };
    const { plan } = sync(moment('zed-user', text), [ours], { writeSecrets: { V: value }, force: true });
    const diff = plan.steps[0]?.diff ?? '';
    expect(diff).toContain('shown');
    for (const piece of [...hidden, base64.slice(8, -4)]) expect(diff).not.toContain(piece);
  });

  test('are distinguished from references, which are shown', () => {
    const { plan } = sync(moment(host), [{ ...files, env: { KEY: `\${TOKEN}` } }]);
    expect(plan.steps[0]?.diff).toContain(`"KEY": "\${env:TOKEN}"`);
  });
});

test('a diff shows the changes of one entry', () => {
  const { plan } = sync(added.after, [{ ...files, args: ['files-mcp', '--root', '.'] }]);
  expect(plan.steps[0]?.diff).toBe(`--- /home/ann/cursor-user
+++ /home/ann/cursor-user
@@ -1,6 +1,8 @@ mcpServers › files
 {
   "command": "uvx",
   "args": [
-    "files-mcp"
+    "files-mcp",
+    "--root",
+    "."
   ]
 }`);
});

test('a diff has the syntax of the file: additions appear as written', () => {
  const ours: HostServer = { ...files, env: { LEVEL: `\${LEVEL}` } };
  for (const id of ['codex-user', 'continue-user', 'goose-user', host]) {
    const { plan, after } = sync(moment(id), [id === 'goose-user' ? files : ours]);
    const lines = plan.steps[0]?.diff.split('\n').slice(3) ?? [];
    expect(lines.length).toBeGreaterThan(2);
    const written = new Set(after.text?.split('\n').map((line) => line.trim()));
    const shown = lines.map((line) => line.slice(1).trim());
    // The outermost lines of JSON have a name before and a comma after them.
    for (const line of id === host ? shown.slice(1, -1) : shown) expect(written, id).toContain(line);
  }
});

test('a diff of TOML shows tables, with secrets hidden', () => {
  const before = sync(moment('codex-user', 'model = "o9"\n'), [{ ...files, env: { KEY: 'one' } }]);
  expect(before.plan.steps[0]?.diff).toBe(`--- /home/ann/codex-user
+++ /home/ann/codex-user
@@ -0,0 +1,6 @@ mcp_servers › files
+[mcp_servers.files]
+command = "uvx"
+args = ["files-mcp"]
+
+[mcp_servers.files.env]
+KEY = "***"`);
  const { plan } = sync(before.after, [{ ...files, args: ['other'], env: { KEY: 'two' } }]);
  expect(plan.steps[0]?.diff.split('\n').slice(3)).toEqual([
    ' [mcp_servers.files]',
    ' command = "uvx"',
    '-args = ["files-mcp"]',
    '+args = ["other"]',
    ' ',
    ' [mcp_servers.files.env]',
    '-KEY = "***"',
    '+KEY = "*** (changed)"',
  ]);
});

test('a diff of YAML shows a member of a map or an item of a list', () => {
  const shown = (id: string) => sync(moment(id), [files]).plan.steps[0]?.diff.split('\n').slice(2, 4);
  expect(shown('goose-user')).toEqual([expect.stringContaining('extensions › files'), '+files:']);
  expect(shown('continue-user')).toEqual([expect.stringContaining('mcpServers › files'), '+- name: files']);
});

test('control characters and bidirectional marks are shown escaped', () => {
  const { plan } = sync(moment(host), [{ ...files, args: ['a\u001b[2J', 'b\u202ec'] }]);
  expect(plan.steps[0]?.diff).toContain('b\uFFFDc');
  for (const character of ['\u001b', '\u202e']) expect(plan.steps[0]?.diff).not.toContain(character);
});

describe('a file that cannot be edited', () => {
  test.each([
    ['truncated JSON', '{ "mcpServers": {', 1, 18],
    ['stale bytes behind the end', '{}}', 1, 3],
    ['a comment where the host reads none', '{\n  // note\n}', 2, 3],
  ])('with %s is an error with its position and stays unchanged', (_, text, line, column) => {
    const { plan, after } = sync(moment('claude-desktop', text), [files]);
    expect(plan.files).toEqual([]);
    expect(plan.steps).toEqual([]);
    expect(plan.issues).toMatchObject([
      {
        code: 'file-not-edited',
        severity: 'error',
        file: '/home/ann/claude-desktop',
        reason: 'unreadable-document',
        line,
        column,
      },
    ]);
    expect(plan.issues[0]?.message).toMatch(new RegExp(`^/home/ann/claude-desktop:${line}:${column}: [A-Z]`));
    expect(plan.issues[0]?.message.match(/\d+/g)).toEqual([String(line), String(column)]);
    expect(plan.issues[0]?.manualSnippet).toBeUndefined();
    expect(after.text).toBe(text);
  });

  test.each([
    ['codex-user', 'mcp_servers.x.command = "y"\n', 'Dotted keys define this table', '[mcp_servers.files]'],
    ['cursor-user', '{\n"mcpServers": {"a": {}, "a": {}}}', 'The key "a" occurs a second time here', '"mcpServers"'],
    ['goose-user', 'a: &x\n  u: {}\nextensions: *x\n', 'Expected a mapping here', 'extensions:'],
  ])('because of its layout has a manual snippet: %s', (id, text, says, snippet) => {
    const { plan, after } = sync(moment(id, text), [{ ...files, env: { KEY: 'sentinel' } }]);
    const [issue] = plan.issues;
    expect(issue).toMatchObject({ code: 'file-not-edited', reason: 'unsupported-shape', line: expect.any(Number) });
    expect(issue?.message).toContain(`${issue?.file}:${issue?.line}:${issue?.column}: ${says}`);
    expect(issue?.hint).toBe('add the text of manualSnippet by hand');
    expect(issue?.manualSnippet?.open()).toContain(snippet);
    expect(issue?.manualSnippet?.open()).toContain('sentinel');
    expect(JSON.stringify(plan) + inspect(plan, { depth: 9 })).not.toContain('sentinel');
    expect(after.text).toBe(text);
  });

  test('does not stop the sync of other hosts', () => {
    const theirs = [documentOf(moment('claude-desktop', '{')), documentOf(moment('zed-user'))];
    const plan = planSync({ ours: [files], theirs });
    expect(plan.steps).toMatchObject([{ type: 'add', host: 'zed-user' }]);
    expect(plan.issues).toMatchObject([{ code: 'file-not-edited', host: 'claude-desktop' }]);
  });

  test('keeps its record', () => {
    const broken = { ...added.after, text: '{' };
    expect(sync(broken, []).after).toEqual(broken);
  });
});

test('drops a byte order mark only for hosts that cannot read it', () => {
  const marked = '\uFEFF{"mcpServers":{}}';
  expect(sync(moment('claude-desktop', marked), [files]).after.text).not.toContain('\uFEFF');
  expect(sync(moment('cursor-user', marked), [files]).after.text?.startsWith('\uFEFF{')).toBe(true);
});

describe('two hosts that read one file', () => {
  const document = (id: string) => ({ ...documentOf(moment(id)), file: '/srv/app/.mcp.json' });

  test('get a server once, with a warning', () => {
    const plan = planSync({
      ours: [files],
      theirs: [document('claude-code-project'), document('copilot-cli-project')],
    });
    expect(plan.steps).toMatchObject([{ type: 'add', host: 'claude-code-project' }]);
    expect(plan.files).toHaveLength(1);
    expect(plan.issues).toMatchObject([
      { code: 'conditional-file', host: 'claude-code-project' },
      { code: 'shared-file', host: 'copilot-cli-project' },
    ]);
  });

  test('get it under both keys, in one change, if they read different keys', () => {
    const plan = planSync({
      ours: [files],
      theirs: [document('claude-code-project'), document('visual-studio-solution')],
    });
    expect(plan.files).toHaveLength(1);
    expect(Object.keys(JSON.parse(plan.files[0]?.content.open().text ?? ''))).toEqual(['mcpServers', 'servers']);
    expect(plan.issues).toMatchObject([{ code: 'conditional-file' }]);
  });
});

describe('a file that its host reads under a condition only', () => {
  test.each([
    ['claude-code-project', 'Claude Code starts a server of this file after each user has approved it'],
    ['codex-project', 'Codex reads this file in trusted projects only'],
    ['copilot-cli-project', 'Copilot CLI reads this file in trusted folders only'],
    ['gemini-cli-project', 'Gemini CLI reads this file in trusted folders only'],
    ['qwen-code-project', 'start a server of this file after each user has approved it'],
    ['continue-project', 'its command line "cn" does not'],
  ])('%s: the plan says so with an addition, and with no later change', (id, says) => {
    const first = sync(moment(id), [files]);
    expect(first.plan.issues).toMatchObject([
      { code: 'conditional-file', severity: 'warning', host: id, message: expect.stringContaining(says) },
    ]);
    expect(sync(first.after, [{ ...files, args: ['other'] }]).plan.issues).toEqual([]);
    expect(sync(first.after, []).plan.issues).toEqual([]);
  });

  test('files of the user have none', () => {
    expect(sync(moment('codex-user'), [files]).plan.issues).toEqual([]);
  });
});

test('an addition to a host with a successor is a warning', () => {
  const { plan } = sync(moment('windsurf-user'), [files]);
  expect(plan.issues).toMatchObject([{ code: 'legacy-host', hint: 'sync devin-desktop-user as well' }]);
});

test('removes entries from a file that the host no longer reads', () => {
  const old = sync(moment('antigravity-user'), [files]).after;
  const retired = { ...documentOf(old), isRetired: true } as const;
  const current = { ...documentOf(moment('antigravity-user')), file: '/home/ann/new' };
  const plan = planSync({ ours: [files], theirs: [current, retired], ownership: old.ownership });
  expect(plan.steps).toMatchObject([
    { type: 'add', file: '/home/ann/new' },
    { type: 'remove', file: '/home/ann/antigravity-user' },
  ]);
});

describe('an invalid argument is a TypeError with its name', () => {
  const call =
    (...ours: readonly HostServer[]) =>
    () =>
      planSync({ ours, theirs: [] });

  test('two servers with one name', () => {
    expect(call(files, files)).toThrow(new TypeError('ours contains two servers named "files": rename one'));
  });

  test.each(['', ' ', '__proto__', 'constructor', 'a\nb', 'a\u202eb', '\ud800', 'x'.repeat(129)])(
    'a server named %j',
    (name) => {
      expect(call({ ...files, name })).toThrow(TypeError);
      expect(call({ ...files, name })).toThrow(/^ours contains a server named .*: use 1 to 128 printable characters$/);
    },
  );

  test.each<[string, HostServer]>([
    ['the command', { ...files, transport: 'stdio', command: 'a\0b' }],
    ['the args', { name: 'files', transport: 'stdio', command: 'x', args: ['\ud800'] }],
    ['the env', { name: 'files', transport: 'stdio', command: 'x', env: JSON.parse('{"__proto__":"x"}') }],
    ['the env', { name: 'files', transport: 'stdio', command: 'x', env: { A: 1 as never } }],
    ['the headers', { name: 'files', transport: 'http', url: 'https://example.com/', headers: { '': 'x' } }],
  ])('text in %s that no file can express', (place, server) => {
    expect(call(server)).toThrow(TypeError);
    expect(call(server)).toThrow(`${place} of "files"`);
  });
});

test.each(['zed-user', 'continue-user', 'goose-user', 'mcp-hub', 'cursor-user'])(
  '%s accepts any printable server name',
  (id) => {
    for (const name of [
      'a.b',
      'a b',
      '🎉',
      '1',
      '"q"',
      "it's",
      'a: b',
      '- a',
      '#c',
      'true',
      '~',
      'toString',
      'mcpServers',
    ]) {
      const { after } = sync(moment(id), [{ ...files, name }]);
      expect(sync(after, [{ ...files, name }]).plan.files).toEqual([]);
      expect(sync(after, []).after).toEqual(moment(id));
    }
  },
);

function manyServers(length: number): readonly HostServer[] {
  return Array.from({ length }, (_, index) => ({ ...files, name: `server-${index}` }));
}

test('ten thousand servers are planned, and a second run changes nothing', () => {
  const ours = manyServers(10_000);
  const { plan, after } = sync(moment(host), ours);
  expect(plan.steps).toHaveLength(10_000);
  expect(sync(after, ours).plan.files).toEqual([]);
});

describe('many servers', () => {
  const ours = manyServers(2_000);
  const namesIn = ({ host: id, text = '' }: Moment) => {
    const { shape } = documentLayout(findHost(id), text, { platform: 'linux', project: '/srv/app' });
    return [...readEntries(text, shape).keys()];
  };

  test.each([
    ['strict JSON', 'cursor-user', '{ "mcpServers": { "theirs": { "command": "x" } } }'],
    [
      'JSON with comments',
      'zed-user',
      '{\n  // note\n  "context_servers": {\n    "theirs": { "command": "x" }, // x\n  },\n}',
    ],
    ['YAML', 'goose-user', 'extensions:\n  theirs: # x\n    cmd: x\n'],
    ['a list in YAML', 'continue-user', 'mcpServers:\n  - name: theirs\n    command: x # x\nrules: []\n'],
    ['TOML', 'codex-user', 'model = "x"\n\n[mcp_servers.theirs] # x\ncommand = "x"\n\n[tui]\n'],
  ])('are added, changed and removed in %s', (_, id, text) => {
    const first = sync(moment(id, text), ours.slice(0, 1_200));
    const wanted = ours.slice(600).map((server) => ({ ...server, args: ['files-mcp', '--all'] }));
    const { plan, after } = sync(first.after, wanted);
    expect(plan.steps).toHaveLength(2_000);
    expect(countOf(plan, 'change')).toBe(600);
    expect(countOf(plan, 'add')).toBe(800);
    expect(countOf(plan, 'remove')).toBe(600);

    expect(namesIn(after)).toEqual(['theirs', ...wanted.map(({ name }) => name)]);
    expect(after.text?.match(/--all/g)).toHaveLength(1_400);
    expect(sync(after, wanted).plan.files).toEqual([]);
    expect(sync(after, []).after).toEqual(moment(id, text));
  });

  test('replace entries that no host could read', () => {
    const text = JSON.stringify({ mcpServers: Object.fromEntries(ours.map(({ name }) => [name, 7])) });
    const { after } = sync(moment(host, text), ours, { force: true });
    expect(namesIn(after)).toEqual(ours.map(({ name }) => name));
    expect(sync(after, ours).plan.files).toEqual([]);
  });
});

describe('a server with a reference to a secret', () => {
  const secrets = [{ key: 'TOKEN', reference: 'keychain:github/me' }];

  test('is not written, and the others are', () => {
    const { plan, after } = sync(moment(host), [{ ...files, secrets }, search]);
    expect(typesOf(plan)).toEqual(['add search']);
    expect(plan.issues).toMatchObject([{ code: 'secret-not-resolved', severity: 'error', server: 'files' }]);
    expect(plan.issues[0]?.message).not.toContain('github/me');
    expect(after.text).not.toContain('files-mcp');
  });

  test('keeps its existing entry', () => {
    const { plan, after } = sync(added.after, [{ ...files, secrets }]);
    expect(plan.steps.map(({ type }) => type)).not.toContain('remove');
    expect(after.text).toBe(added.after.text);
  });
});
