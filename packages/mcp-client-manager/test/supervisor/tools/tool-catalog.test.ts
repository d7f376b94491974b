import { afterEach, expect, test, vi } from 'vitest';
import type { ServerTool, Session, ToolListing } from '../../../src/session/session.js';
import { ToolCatalog } from '../../../src/supervisor/tools/tool-catalog.js';

afterEach(() => {
  vi.useRealTimers();
});

const tool = (name: string): ServerTool => ({ name, inputSchema: { type: 'object' } });
const complete = (...names: string[]): ToolListing => ({
  tools: names.map(tool),
  completeness: 'complete',
  problems: [],
});
const unavailable: ToolListing = { tools: [], completeness: 'unavailable', problems: ['page 1 failed: broken'] };

/** A session of which only the listing is asked; each listing waits until the test answers it. */
class ListedSession implements Pick<Session, 'isOpen' | 'listTools'> {
  isOpen = true;
  readonly answers: ((listing: ToolListing) => void)[] = [];
  #tellAsked: (() => void) | undefined;

  listTools(): Promise<ToolListing> {
    return new Promise((resolve) => {
      this.answers.push(resolve);
      this.#tellAsked?.();
    });
  }

  /** Resolves when the next listing is asked for. */
  asked(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellAsked = resolve;
    });
  }

  get asSession(): Session {
    return this as unknown as Session;
  }
}

function catalogWithLog({ onSame = (): void => undefined } = {}): {
  catalog: ToolCatalog;
  listed: ToolListing[];
  next: () => Promise<void>;
} {
  const listed: ToolListing[] = [];
  let tell: (() => void) | undefined;
  const onListed = (listing: ToolListing): void => {
    listed.push(listing);
    tell?.();
  };
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      tell = resolve;
    });
  return {
    catalog: new ToolCatalog({ timeoutMs: () => 60_000, maxTools: () => 10_000, onListed, onSame }),
    listed,
    next,
  };
}

test('a burst of notices brings one listing that is under way and one more', async () => {
  const { catalog, listed, next } = catalogWithLog();
  const session = new ListedSession();
  for (let notice = 0; notice < 1_000; notice += 1) catalog.invalidate(session.asSession, 'announced');
  expect(session.answers).toHaveLength(1);
  for (let notice = 0; notice < 1_000; notice += 1) catalog.invalidate(session.asSession, 'announced');

  const askedAgain = session.asked();
  session.answers[0]?.(complete('a'));
  await askedAgain;
  const told = next();
  session.answers[1]?.(complete('a', 'b'));
  await told;
  expect(listed).toHaveLength(2);
  expect(session.answers).toHaveLength(2);
  expect(catalog.tools.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('however many notices come, the tools are listed once a second at most', async () => {
  vi.useFakeTimers();
  const { catalog } = catalogWithLog();
  const session = new ListedSession();
  for (let ms = 0; ms < 5_000; ms += 1) {
    catalog.invalidate(session.asSession, 'announced');
    session.answers.at(-1)?.(complete('a'));
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(session.answers).toHaveLength(6);
});

test('reports an announced change that is none, and no other listing', async () => {
  vi.useFakeTimers();
  let same = 0;
  const { catalog } = catalogWithLog({
    onSame: () => {
      same += 1;
    },
  });
  const session = new ListedSession();
  const counts: number[] = [];
  const listings = [
    ['announced', complete('a')],
    ['announced', complete('a')],
    ['reopened', complete('a')],
    ['announced', unavailable],
    ['announced', complete('a', 'b')],
    ['announced', complete('a', 'b')],
  ] as const;
  for (const [cause, listing] of listings) {
    catalog.invalidate(session.asSession, cause);
    session.answers.at(-1)?.(listing);
    await vi.advanceTimersByTimeAsync(1_000);
    counts.push(same);
  }
  expect(counts).toEqual([0, 1, 1, 1, 1, 2]);
  catalog.stop();
});

test('the tools of an earlier process are known until the first list', async () => {
  const { catalog } = catalogWithLog();
  catalog.seed({ tools: [tool('old')], listedAt: 1_000, isPartial: false });
  expect(catalog).toMatchObject({ tools: [tool('old')], cachedAt: 1_000 });
  const session = new ListedSession();
  const listing = catalog.refresh(session.asSession);
  session.answers[0]?.(complete('old'));
  await listing;
  expect(catalog).toMatchObject({ tools: [tool('old')], cachedAt: undefined });
});

test('the answer to an older question does not replace that to a newer one', async () => {
  const { catalog, listed } = catalogWithLog();
  const session = new ListedSession();
  const first = catalog.refresh(session.asSession);
  const second = catalog.refresh(session.asSession);
  session.answers[1]?.(complete('new'));
  await second;
  session.answers[0]?.(complete('old'));
  await first;
  expect(catalog.tools).toEqual([tool('new')]);
  expect(listed).toHaveLength(1);
});

test('the answer of an older session, and of one that ended, is dropped', async () => {
  const { catalog, listed } = catalogWithLog();
  const older = new ListedSession();
  const newer = new ListedSession();
  const late = catalog.refresh(older.asSession);
  const present = catalog.refresh(newer.asSession);
  newer.answers[0]?.(complete('new'));
  await present;
  older.answers[0]?.(complete('old'));
  await late;
  const last = catalog.refresh(newer.asSession);
  newer.isOpen = false;
  newer.answers[1]?.(unavailable);
  await last;
  expect(catalog.tools).toEqual([tool('new')]);
  expect(catalog.problems).toEqual([]);
  expect(listed).toHaveLength(1);
});

test('a failed listing keeps the last list and reports its problem', async () => {
  const { catalog } = catalogWithLog();
  const session = new ListedSession();
  const first = catalog.refresh(session.asSession);
  session.answers[0]?.(complete('a'));
  await first;
  const second = catalog.refresh(session.asSession);
  session.answers[1]?.(unavailable);
  await second;
  expect(catalog.tools).toEqual([tool('a')]);
  expect(catalog.problems).toEqual(['page 1 failed: broken']);
});

test('the same tools stay the same array', async () => {
  const { catalog } = catalogWithLog();
  const session = new ListedSession();
  const first = catalog.refresh(session.asSession);
  session.answers[0]?.(complete('a'));
  await first;
  const { tools } = catalog;
  const second = catalog.refresh(session.asSession);
  session.answers[1]?.(complete('a'));
  await second;
  expect(catalog.tools).toBe(tools);
});
