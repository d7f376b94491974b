import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEntry } from '@x/internal/processes';
import { processTableId } from '@x/internal/processes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type JournalRecord,
  journalFileName,
  ownerOfFile,
  parseJournal,
} from '../../../src/process/orphans/journal-record.js';
import { findOrphans, reapOrphans } from '../../../src/process/orphans/reap.js';
import { temporaryDirectory } from '../../helpers/processes.js';

const owner = `4000-${randomUUID()}`;
const journal: JournalRecord = {
  version: 1,
  owner,
  table: 'boot pid:[1]',
  host: { pid: 4000, startTime: 100 },
  processes: [{ pid: 4100, group: 4100, startTime: 200, server: 'git' }],
};
const leader: ProcessEntry = { pid: 4100, state: 'S', group: 4100, session: 4100, startTime: 200 };
const member: ProcessEntry = { pid: 4101, state: 'S', group: 4100, session: 4100, startTime: 250 };

/** A journal as its host writes it: the facts, then a line for each process that comes or goes. */
function written({ processes, ...header }: JournalRecord, ...more: readonly unknown[]): string {
  const lines = [{ ...header, processes: [] }, ...processes.map((started) => ({ started })), ...more];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function orphans(running: readonly ProcessEntry[], { marked }: { marked?: readonly number[] } = {}): number[] {
  const hasEntry = (pid: number, entry: string): boolean =>
    entry === `MCP_CLIENT_MANAGER_OWNER=${owner}` && (marked?.includes(pid) ?? true);
  return findOrphans(journal, running, hasEntry).map(({ pid }) => pid);
}

describe('an orphan', () => {
  test('is a process of the journal, or one of its group with the marker', () => {
    expect(orphans([leader, member])).toEqual([4100, 4101]);
    expect(orphans([leader, member], { marked: [4100] })).toEqual([4100]);
    expect(orphans([member])).toEqual([4101]);
  });

  test.each<[why: string, entry: ProcessEntry]>([
    ['started at another time', { ...leader, startTime: 201 }],
    ['is in a group that nobody wrote down', { ...leader, group: 4200 }],
    ['is in a session of another', { ...member, session: 4000 }],
    ['started before the process that led its group', { ...member, startTime: 199 }],
  ])('is nothing that %s', (_, entry) => {
    expect(orphans([entry])).toEqual([]);
  });

  test('needs the owner marker', () => {
    expect(orphans([leader, member], { marked: [] })).toEqual([]);
  });

  test('is not in a group whose number was reused', () => {
    expect(
      orphans([
        { ...leader, startTime: 300 },
        { ...member, startTime: 301 },
      ]),
    ).toEqual([]);
  });
});

test('a journal is read back as it was written, under its own name only', () => {
  const text = written(journal);
  expect(parseJournal(text, owner)).toEqual(journal);
  expect(ownerOfFile(journalFileName(owner))).toBe(owner);
  expect(parseJournal(text, `4000-${randomUUID()}`)).toBeUndefined();
});

test('a journal never yields a pid below two', () => {
  const number = fc.oneof(
    fc.constantFrom<unknown>(4_000, 4_100, -1, 0, 1, -4100, 1.5, Number.NaN, 2 ** 60, '4100', null),
    fc.integer(),
  );
  const anyProcess = fc.record({ pid: number, group: number, startTime: number, server: fc.string() });
  fc.assert(
    fc.property(fc.array(anyProcess), number, (processes, pid) => {
      const header = { ...journal, host: { pid, startTime: 1 } } as JournalRecord;
      const lines = [...processes.map((started) => ({ started })), { ended: pid }];
      const parsed = parseJournal(written(header, ...lines), owner);
      for (const process of parsed?.processes ?? []) {
        expect(Number.isSafeInteger(process.pid) && process.pid > 1 && process.group === process.pid).toBe(true);
      }
    }),
  );
});

test('a journal omits ended processes and an unfinished line', () => {
  const second = { pid: 4200, group: 4200, startTime: 300, server: 'files' };
  const text = written(journal, { started: second }, { ended: 4100 });
  expect(parseJournal(text, owner)?.processes).toEqual([second]);
  expect(parseJournal(`${text}{"ended":4200`, owner)?.processes).toEqual([second]);
  expect(parseJournal(`${text}{"ended":-4200}\n`, owner)).toBeUndefined();
});

test('any text is a journal or none, and never an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.json()).map((lines) => lines.join('\n')),
      ),
      (text) => void parseJournal(text, owner),
    ),
  );
});

test.each(['../../etc/passwd', `${owner}.json.malformed`, `${owner}.json.new`, `-1-${owner}.json`, 'state.json', ''])(
  'a file of another name is none of our business: %s',
  (name) => {
    expect(ownerOfFile(name)).toBeUndefined();
  },
);

describe.skipIf(process.platform !== 'linux')('a directory of journals', () => {
  async function directoryWith(text: string): Promise<{ directory: string; path: string }> {
    const directory = join(await temporaryDirectory(), 'processes');
    await mkdir(directory);
    const path = join(directory, journalFileName(owner));
    await writeFile(path, text, { mode: 0o600 });
    return { directory, path };
  }

  async function reap(directory: string): Promise<{ killed: readonly number[]; problems: string[]; left: string[] }> {
    const problems: string[] = [];
    const killed = await reapOrphans({ directory, onProblem: (message) => problems.push(message) });
    return { killed, problems, left: await readdir(directory) };
  }

  test('that is not there is no problem', async () => {
    const directory = join(await temporaryDirectory(), 'none');
    expect(await reapOrphans({ directory, onProblem: () => expect.unreachable() })).toEqual([]);
  });

  test('is cleared of journals from an earlier boot', async () => {
    const { directory } = await directoryWith(written(journal));
    expect(await reap(directory)).toEqual({ killed: [], problems: [], left: [] });
  });

  test('keeps journals of another container', async () => {
    const [boot] = (processTableId() as string).split(' ');
    const { directory } = await directoryWith(written({ ...journal, table: `${boot} pid:[1]` }));
    expect(await reap(directory)).toEqual({ killed: [], problems: [], left: [journalFileName(owner)] });
  });

  test('sets aside a journal that makes no sense, and says so once', async () => {
    const { directory } = await directoryWith('{"version":1');
    const first = await reap(directory);
    expect(first).toMatchObject({ killed: [], left: [`${journalFileName(owner)}.malformed`] });
    expect(first.problems).toEqual([expect.stringContaining('was set aside and not followed')]);
    expect((await reap(directory)).problems).toEqual([]);
  });

  test('removes malformed and unfinished journals after a week, and nothing else', async () => {
    const { directory } = await directoryWith('{"version":1');
    await reap(directory);
    const other = `4001-${randomUUID()}.json.new`;
    const names = [`${journalFileName(owner)}.malformed`, other, 'notes.malformed'];
    await writeFile(join(directory, other), '');
    await writeFile(join(directory, 'notes.malformed'), '');
    expect((await reap(directory)).left.sort()).toEqual(names.sort());
    const weekAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000);
    await Promise.all(names.map((name) => utimes(join(directory, name), weekAgo, weekAgo)));
    expect((await reap(directory)).left).toEqual(['notes.malformed']);
  });

  test('does not follow a journal that others may write to, nor a link', async () => {
    const open = await directoryWith(written(journal));
    await chmod(open.path, 0o666);
    expect((await reap(open.directory)).left).toEqual([`${journalFileName(owner)}.malformed`]);
    const linked = await directoryWith(written(journal));
    await symlink(linked.path, join(linked.directory, journalFileName(`4001-${randomUUID()}`)));
    expect((await reap(linked.directory)).problems).toHaveLength(1);
  });
});
