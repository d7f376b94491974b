import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HostServer, planSync } from '../../src/index.js';
import { noOwnership, type Ownership, withFile } from '../../src/sync/ownership.js';
import { type Moment, moment, sync, typesOf } from '../helpers/in-memory-sync.js';

const first: HostServer = { name: 'first', transport: 'stdio', command: 'npx' };
const second: HostServer = { ...first, name: 'second' };

const host = 'cursor-user';

/** Replaces the file with another text, as a user would. */
function replaced({ after }: { readonly after: Moment }, text: string): Moment {
  return { ...after, text };
}

describe('a file that the user has replaced', () => {
  test('is not deleted with the last server', () => {
    const text = '{\n  "mcpServers": {}\n}\n';
    const both = sync(replaced(sync(moment(host), [first]), text), [first, second]);
    expect(typesOf(both.plan)).toEqual(['conflict first', 'add second']);
    expect(sync(both.after, []).after).toEqual(moment(host, text));
  });

  test('keeps its own empty key', () => {
    const text = '{\n  "theme": "x",\n  "mcpServers": {\n  }\n}\n';
    const both = sync(replaced(sync(moment(host, '{ "theme": "x" }'), [first]), text), [first, second]);
    expect(sync(both.after, []).after).toEqual(moment(host, text));
  });

  test('keeps its spelling of an empty value', () => {
    const text = 'extensions: {}  # none\nx: 1\n';
    const both = sync(replaced(sync(moment('goose-user', 'extensions: ~\nx: 1\n'), [first]), text), [first, second]);
    expect(sync(both.after, []).after).toEqual(moment('goose-user', text));
  });

  test('still counts as created while it has a recorded server', () => {
    const added = sync(moment(host), [first, second]);
    const withoutFirst = sync(added.after, [second]).after.text ?? '';
    expect(sync(replaced(added, withoutFirst), []).after).toEqual(moment(host));
  });
});

interface Place {
  readonly host: 'claude-code-user' | 'claude-code-local';
  readonly project?: string;
}

const user: Place = { host: 'claude-code-user' };
const app: Place = { host: 'claude-code-local', project: '/srv/app' };
const other: Place = { host: 'claude-code-local', project: '/srv/other' };

interface State {
  readonly text: string | undefined;
  readonly ownership: Ownership;
}

/** Syncs several maps of one file in one run. */
function syncIn(places: readonly Place[], { text, ownership }: State, ours: readonly HostServer[]): State {
  const file = '/home/ann/.claude.json';
  const document = { file, inside: '/home/ann', platform: 'linux' as const, ...(text === undefined ? {} : { text }) };
  const theirs = places.map((place) => ({ project: '/srv/app', ...place, ...document }));
  const [change] = planSync({ ours, theirs, ownership }).files;
  if (change === undefined) return { text, ownership };
  const { text: written, done } = change.content.open();
  const after = { write: written, delete: undefined, record: text }[change.effect];
  return { text: after, ownership: withFile(ownership, file, done) };
}

const starts = [
  undefined,
  '',
  '  \n',
  'null',
  '{}',
  '{ }\n',
  '{"x":1}',
  '{\n  "x": 1,\n  "projects": {}\n}',
  '{\n  "projects": {\n    "/srv/app": {}\n  }\n}\n',
  '{"mcpServers":{}}',
  '{"mcpServers":{"theirs":{"command":"x"}}}\n',
];

describe('several maps of servers in one file', () => {
  test.each(starts)('from %j, removal in any order restores the text', (text) => {
    const anyOrder = fc.shuffledSubarray([user, app, other], { minLength: 3 });
    fc.assert(
      fc.property(anyOrder, anyOrder, fc.boolean(), fc.boolean(), (adding, removing, addsAtOnce, removesAtOnce) => {
        let state: State = { text, ownership: noOwnership };
        const inTurn = (places: readonly Place[], atOnce: boolean, ours: readonly HostServer[]) => {
          for (const group of atOnce ? [places.slice(0, 2), places.slice(2)] : places.map((place) => [place])) {
            // Two projects need two runs, because a run has one project.
            const runs = group.includes(app) && group.includes(other) ? group.map((place) => [place]) : [group];
            for (const run of runs) state = syncIn(run, state, ours);
          }
        };
        inTurn(adding, addsAtOnce, [first, second]);
        inTurn(removing, removesAtOnce, []);
        expect(state).toEqual({ text, ownership: noOwnership });
      }),
      { numRuns: 60 },
    );
  });

  test('an entry that the user removed leaves the created text to the others', () => {
    const both = syncIn([user, app], { text: undefined, ownership: noOwnership }, [first]);
    const { mcpServers: _, ...rest } = JSON.parse(both.text ?? '');
    const edited = { ...both, text: JSON.stringify(rest) };
    const withoutUser = syncIn([user], edited, []);
    expect(withoutUser.text).toBe(edited.text);
    expect(syncIn([app], withoutUser, [])).toEqual({ text: undefined, ownership: noOwnership });
  });
});
