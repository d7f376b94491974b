import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Journal } from '../../../src/process/orphans/journal.js';
import { type JournalProcess, journalFileName, parseJournal } from '../../../src/process/orphans/journal-record.js';
import { processHost, startProcess, temporaryDirectory } from '../../helpers/processes.js';

const owner = `${process.pid}-${randomUUID()}`;

function processOf(pid: number): JournalProcess {
  return { pid, group: pid, startTime: pid * 2, server: `server ${pid}` };
}

async function journalIn(directory: string): Promise<{ journal: Journal; path: string; problems: string[] }> {
  const problems: string[] = [];
  const journal = new Journal({ directory, owner, onProblem: (message) => problems.push(message) });
  return { journal, path: join(directory, journalFileName(owner)), problems };
}

describe.skipIf(process.platform !== 'linux')('a journal', () => {
  test('contains every running child of its manager, readable only by its user', async () => {
    const stateDirectory = join(await temporaryDirectory(), 'state');
    const directory = join(stateDirectory, 'processes');
    const host = processHost({ stateDirectory });
    const [one, other] = [await startProcess(host, 'cat', []), await startProcess(host, 'cat', [])];
    const [name = ''] = await readdir(directory);
    const pidsIn = async () =>
      parseJournal(await readFile(join(directory, name), 'utf8'), name.replace('.json', ''))?.processes.map(
        ({ pid }) => pid,
      );
    expect(await pidsIn()).toEqual([one.pid, other.pid]);
    expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(stateDirectory)).mode & 0o777).toBe(0o700);
    await one.stop({ shutdownTimeoutMs: 100 });
    expect(await pidsIn()).toEqual([other.pid]);
    await other.stop({ shutdownTimeoutMs: 100 });
    await host.close();
    expect(await readdir(directory)).toEqual([]);
  });

  test('reads as the added and not removed processes, at any length', async () => {
    const { journal, path, problems } = await journalIn(await temporaryDirectory());
    const live = new Map<number, JournalProcess>();
    const step = fc.record({ pid: fc.integer({ min: 2, max: 40 }), isStart: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 200 }), async (steps) => {
        journal.add(processOf(2));
        live.set(2, processOf(2));
        for (const { pid, isStart } of steps) {
          if (isStart) {
            journal.add(processOf(pid));
            live.set(pid, processOf(pid));
          } else {
            journal.remove(pid);
            live.delete(pid);
          }
        }
        const text = await readFile(path, 'utf8');
        expect(new Set(parseJournal(text, owner)?.processes)).toEqual(new Set(live.values()));
        expect(text.split('\n').length).toBeLessThan(1_100);
      }),
    );
    expect(problems).toEqual([]);
  });

  test('reports a write failure once, and continues when it passes', async () => {
    const directory = join(await temporaryDirectory(), 'processes');
    await writeFile(directory, '');
    const { journal, path, problems } = await journalIn(directory);
    journal.add(processOf(2));
    journal.add(processOf(3));
    expect(problems).toEqual([expect.stringContaining('cannot be written')]);
    await rm(directory);
    await mkdir(directory);
    journal.remove(2);
    expect(parseJournal(await readFile(path, 'utf8'), owner)?.processes).toEqual([processOf(3)]);
  });
});
