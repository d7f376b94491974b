import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ToolLister } from '../../src/catalog/tool-lister.js';
import { FleetError } from '../../src/errors.js';
import type { FleetSource } from '../../src/source.js';
import { tool } from '../helpers/offered.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A scripted source that records its signals. */
function setUp(list: FleetSource['listTools']) {
  const signals: (AbortSignal | undefined)[] = [];
  const source: FleetSource = {
    name: 'files',
    listTools: (options) => {
      signals.push(options.signal);
      return list(options);
    },
    callTool: async () => ({ content: [] }),
  };
  return { lister: new ToolLister('a', source), signals };
}

test('aborts a listing that takes too long, and lists again the next time', async () => {
  let answers = false;
  const { lister, signals } = setUp(() => (answers ? [tool('read')] : new Promise(() => undefined)));
  const listing = lister.list();
  const settled = expect(listing).rejects.toMatchObject({ code: 'timed-out', node: 'a', server: 'files' });
  await vi.advanceTimersByTimeAsync(30_000);
  await settled;
  expect(signals[0]?.reason).toMatchObject({ code: 'timed-out' });
  answers = true;
  expect(await lister.list()).toEqual([tool('read')]);
  expect(signals[1]?.aborted).toBe(false);
});

test('aborts the listing when the node leaves, and does not list again', async () => {
  const { lister, signals } = setUp(() => new Promise(() => undefined));
  const listing = lister.list();
  const closed = new FleetError('closed', 'This node has left the fleet');
  lister.stop(closed);
  await expect(listing).rejects.toBe(closed);
  await expect(lister.list()).rejects.toBe(closed);
  expect(signals).toHaveLength(1);
  expect(signals[0]?.reason).toBe(closed);
  expect(vi.getTimerCount()).toBe(0);
});
