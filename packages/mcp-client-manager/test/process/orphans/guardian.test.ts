import { isRunning, processEntry } from '@x/internal/processes';
import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Guardian, processGuardian } from '../../../src/process/orphans/guardian.js';
import { processHost, startProcess } from '../../helpers/processes.js';

// Registered first, so it looks last: after what a test has started was stopped.
beforeEach(() => onTestFinished(expectNoLeaks));

function guardian(): Guardian {
  const made = new Guardian(() => expect.unreachable());
  const user = {};
  onTestFinished(() => made.release(user));
  return made;
}

function runs(pid: number | undefined): boolean {
  const entry = processEntry(pid as number);
  return entry !== undefined && isRunning(entry);
}

describe.skipIf(process.platform !== 'linux')('a guardian', () => {
  test('runs from the first process on, and ends when it is not needed', async () => {
    const made = guardian();
    const [first, second] = [{}, {}];
    expect(made.pid).toBeUndefined();
    made.expect(first, 'NAME=1');
    const { pid } = made;
    expect(runs(pid)).toBe(true);
    made.expect(second, 'NAME=2');
    expect(made.pid).toBe(pid);
    made.expectNothing();
    made.release(first);
    expect(made.pid).toBe(pid);
    made.release(second);
    expect(made.pid).toBeUndefined();
    await expect.poll(() => runs(pid)).toBe(false);
  });

  test('stays while something is guarded that could not be stopped', async () => {
    const made = guardian();
    const user = {};
    const group = { group: 999_999_999, startTime: 1 };
    made.expect(user, 'NAME=1');
    made.guard(group);
    const { pid } = made;
    made.release(user);
    expect(made.pid).toBe(pid);
    made.forget(group);
    await expect.poll(() => runs(pid)).toBe(false);
  });

  test('leads a session of its own, so that a terminal cannot interrupt it', async () => {
    const made = guardian();
    const user = {};
    made.expect(user, 'NAME=1');
    expect(processEntry(made.pid as number)?.session).toBe(made.pid);
    made.expectNothing();
    made.release(user);
  });

  test('that cannot run here is given up with one warning, and nothing else breaks', async () => {
    const problems: string[] = [];
    const made = new Guardian((message) => problems.push(message));
    const user = {};
    made.expect(user, 'NAME=1');
    await expect
      .poll(() => {
        if (made.pid !== undefined && runs(made.pid)) process.kill(made.pid, 'SIGKILL');
        return problems.length;
      })
      .toBe(1);
    made.expect(user, 'NAME=2');
    made.guard({ group: 999_999_999, startTime: 1 });
    expect(made.pid).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('may then survive')]);
    made.release(user);
  });

  test('two managers of one host share one', async () => {
    const [one, other] = [processHost(), processHost()];
    await startProcess(one, 'cat', []);
    await startProcess(other, 'cat', []);
    expect(await findLeaks(`MCP_CLIENT_MANAGER_GUARDIAN=${process.pid}`)).toEqual([
      expect.objectContaining({ pid: processGuardian.pid }),
    ]);
  });
});
