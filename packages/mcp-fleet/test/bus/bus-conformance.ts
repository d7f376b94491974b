import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FleetBus } from '../../src/bus.js';
import { FleetError } from '../../src/errors.js';
import { bytes, eventOf, failureOf, heard, idleWatcher, text, warnedDuring, watched } from './bus-observers.js';

/** What the suite needs of a driver: a broker of its own, and power over it. */
export interface BusHarness extends AsyncDisposable {
  /** Nodes of one fleet that meets no other one. */
  openFleet(): BusFleet;
  /** Ends the broker. Persisted keys stay. */
  stop(): Promise<void>;
  start(keys: 'kept' | 'lost'): Promise<void>;
}

export interface BusFleet {
  connect(node: string): Promise<FleetBus>;
  /** Takes the way to the broker from one node alone. */
  cut(bus: FleetBus): void;
  heal(bus: FleetBus): void;
}

/** Everything that `FleetBus` promises, for every driver. */
export function describeBus(name: string, openHarness: () => Promise<BusHarness>): void {
  describe(name, () => {
    let harness: BusHarness;
    let fleet: BusFleet;
    let opened: FleetBus[];

    beforeAll(async () => {
      harness = await openHarness();
    });
    afterAll(() => harness[Symbol.asyncDispose]());
    beforeEach(() => {
      fleet = harness.openFleet();
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((bus) => bus.close()));
    });

    async function connect(node = 'A'): Promise<FleetBus> {
      const bus = await fleet.connect(node);
      opened.push(bus);
      return bus;
    }

    describe('messages', () => {
      test('arrive with subject, data and reply subject, in the order of the sender', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const inbox = heard(b, 'call.B.files.A');
        await b.flush();

        for (let index = 0; index < 500; index += 1) a.publish('call.B.files.A', bytes(`${index}`));
        a.publish('call.B.files.A', bytes('last'), { replyTo: 'reply.A.1' });

        const messages = await inbox.take(501);
        expect(messages.slice(0, 500).map(({ data }) => text(data))).toEqual(
          Array.from({ length: 500 }, (_, i) => `${i}`),
        );
        expect(messages[0]).toEqual({
          subject: 'call.B.files.A',
          data: bytes('0'),
          replyTo: undefined,
          hasNoResponders: false,
        });
        expect(messages[500]).toMatchObject({ replyTo: 'reply.A.1', data: bytes('last') });
      });

      test('of all bytes, and of none, arrive unchanged', async () => {
        const a = await connect();
        const inbox = heard(a, 'x');
        const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);

        a.publish('x', all);
        a.publish('x', new Uint8Array());

        expect((await inbox.take(2)).map(({ data }) => Array.from(data))).toEqual([Array.from(all), []]);
      });

      test('reach their own sender, too', async () => {
        const a = await connect();
        const inbox = heard(a, 'x');
        a.publish('x', bytes('1'));
        expect(await inbox.next()).toMatchObject({ data: bytes('1') });
      });

      test('do not change when the sender changes its memory later', async () => {
        const a = await connect();
        const inbox = heard(a, 'x');
        const data = bytes('before');
        a.publish('x', data);
        data.fill(0);
        expect(text((await inbox.next()).data)).toBe('before');
      });

      test('are separate copies for each listener', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const inbox = heard(b, 'x');
        a.subscribe('x', ({ data }) => data.fill(0));
        await Promise.all([a.flush(), b.flush()]);
        a.publish('x', bytes('mine'));
        expect(text((await inbox.next()).data)).toBe('mine');
      });

      test('match * for one token and > for all that follow', async () => {
        const a = await connect();
        const one = heard(a, 'call.*.files.A');
        const rest = heard(a, 'call.B.>');
        const all = heard(a, '>');

        for (const subject of ['call.B.files.A', 'call.C.files.A', 'call.B', 'call.B.x', 'call.B.files.A.more']) {
          a.publish(subject, bytes(''));
        }
        a.publish('end.files', bytes(''));

        expect((await all.take(6)).map(({ subject }) => subject)).toHaveLength(6);
        expect(one.all().map(({ subject }) => subject)).toEqual(['call.B.files.A', 'call.C.files.A']);
        expect(rest.all().map(({ subject }) => subject)).toEqual(['call.B.files.A', 'call.B.x', 'call.B.files.A.more']);
      });

      test('do not reach a disposed subscription', async () => {
        const a = await connect();
        const stopped = heard(a, 'x');
        const other = heard(a, 'x');
        stopped.stop();
        a.publish('x', bytes('1'));
        await other.next();
        expect(stopped.all()).toEqual([]);
      });

      test('still reach the others when a listener throws, and the error is a warning', async () => {
        const a = await connect();
        const thrown = await warnedDuring(async () => {
          a.subscribe('x', () => {
            throw new Error('thrown by a listener');
          });
          const inbox = heard(a, 'x');
          a.publish('x', bytes('1'));
          a.publish('x', bytes('2'));
          await inbox.take(2);
        }, 2);
        const warning = expect.stringContaining(' threw: Error: thrown by a listener\n');
        expect(thrown.map(({ message }) => message)).toEqual([warning, warning]);
      });

      test('of the maximum size pass, and one byte more throws at once with both sizes', async () => {
        const a = await connect();
        const inbox = heard(a, 'x');
        const { maxPayloadBytes } = a;
        expect(maxPayloadBytes).toBeGreaterThan(1000);

        a.publish('x', new Uint8Array(maxPayloadBytes));
        expect((await inbox.next()).data.byteLength).toBe(maxPayloadBytes);

        const failure = failureOf(() => a.publish('x', new Uint8Array(maxPayloadBytes + 1)));
        expect(failure).toMatchObject({ code: 'message-too-large', retryable: false });
        expect(failure.message).toContain(`${maxPayloadBytes + 1}`);
        expect(failure.message).toContain(`${maxPayloadBytes}`);
        a.publish('x', bytes('still here'));
        expect(text((await inbox.next()).data)).toBe('still here');
      });

      test.each(['', ' ', 'a b', 'a..b', '.a', 'a.', 'a.*', '>', 'a\r\nPUB b 0', 'ä', 'a/b'])(
        'have no subject such as %j',
        async (subject) => {
          const a = await connect();
          expect(() => a.publish(subject, bytes(''))).toThrow(TypeError);
          expect(() => a.publish('x', bytes(''), { replyTo: subject })).toThrow(TypeError);
          await expect(a.bucket.put(subject, bytes(''))).rejects.toThrow(TypeError);
        },
      );

      test.each(['', 'a b', 'a.>.b', 'a*', 'a..b', '>a'])('cannot be subscribed to with %j', async (subject) => {
        const a = await connect();
        expect(() => a.subscribe(subject, () => undefined)).toThrow(TypeError);
      });
    });

    describe('answers', () => {
      test('reach the sender of the request', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        b.subscribe('call.B.*.A', ({ replyTo = '', data }) => {
          b.publish(replyTo, bytes(`${text(data)} 1`));
          b.publish(replyTo, bytes(`${text(data)} 2`));
        });
        await b.flush();
        const inbox = heard(a, 'reply.A.>');
        a.publish('call.B.files.A', bytes('question'), { replyTo: 'reply.A.17' });
        expect((await inbox.take(2)).map(({ subject, data }) => [subject, text(data)])).toEqual([
          ['reply.A.17', 'question 1'],
          ['reply.A.17', 'question 2'],
        ]);
      });

      test('are a no-responder notice for the sender alone, without a subscriber', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const [mine, others] = [heard(a, 'reply.A.*'), heard(b, 'reply.A.*')];
        await Promise.all([a.flush(), b.flush()]);

        a.publish('call.C.files.A', bytes('question'), { replyTo: 'reply.A.1' });
        expect(await mine.next()).toEqual({
          subject: 'reply.A.1',
          data: new Uint8Array(),
          replyTo: undefined,
          hasNoResponders: true,
        });

        a.publish('reply.A.1', bytes('a message'));
        expect(await others.next()).toMatchObject({ data: bytes('a message'), hasNoResponders: false });
        expect(others.all()).toEqual([]);
      });

      test('are not a no-responder notice for a silent subscriber', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        b.subscribe('call.B.>', () => undefined);
        await b.flush();
        const inbox = heard(a, 'reply.A.*');
        a.publish('call.B.files.A', bytes('question'), { replyTo: 'reply.A.1' });
        a.publish('reply.A.2', bytes('from myself'));
        expect(await inbox.next()).toMatchObject({ subject: 'reply.A.2', hasNoResponders: false });
      });

      test('are a no-responder notice for a node that has left', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        b.subscribe('call.B.>', () => undefined);
        await b.flush();
        await b.close();
        const inbox = heard(a, 'reply.A.*');
        a.publish('call.B.files.A', bytes('question'), { replyTo: 'reply.A.1' });
        expect(await inbox.next()).toMatchObject({ hasNoResponders: true });
      });
    });

    describe('the bucket', () => {
      test('returns a stored value to every node', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const revision = await a.bucket.put('server.A.files', bytes('one'));
        const entry = await b.bucket.get('server.A.files');
        expect(entry).toEqual({
          key: 'server.A.files',
          value: bytes('one'),
          revision,
          writtenAtMs: expect.any(Number),
        });
        expect(await b.bucket.get('server.A.other')).toBeUndefined();
      });

      test('keeps values of all bytes, and of none', async () => {
        const { bucket } = await connect();
        const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
        await bucket.put('all', all);
        await bucket.put('none', new Uint8Array());
        expect((await bucket.get('all'))?.value).toEqual(all);
        expect((await bucket.get('none'))?.value).toEqual(new Uint8Array());
      });

      test('has revisions and times that grow', async () => {
        const { bucket } = await connect();
        const first = await bucket.put('k', bytes('1'));
        const before = await bucket.get('k');
        const second = await bucket.put('k', bytes('2'));
        const after = await bucket.get('k');
        expect(second).toBeGreaterThan(first);
        expect(after?.revision).toBe(second);
        expect(after?.writtenAtMs).toBeGreaterThanOrEqual(before?.writtenAtMs ?? Number.NaN);
      });

      test('lets exactly one of two writers with the same expected revision succeed', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const revision = await a.bucket.put('singleton.files', bytes('nobody'));
        for (let round = 0, expected = revision; round < 20; round += 1) {
          const outcomes = await Promise.allSettled([
            a.bucket.put('singleton.files', bytes('A'), { revision: expected }),
            b.bucket.put('singleton.files', bytes('B'), { revision: expected }),
          ]);
          const won = outcomes.filter(({ status }) => status === 'fulfilled');
          const lost = outcomes.filter(({ status }) => status === 'rejected');
          expect(won).toHaveLength(1);
          expect(lost[0]).toMatchObject({ reason: { code: 'conflict', retryable: false } });
          const entry = await a.bucket.get('singleton.files');
          expect(text(entry?.value ?? bytes(''))).toBe(outcomes[0].status === 'fulfilled' ? 'A' : 'B');
          expected = entry?.revision ?? 0;
        }
      });

      test('lets exactly one of many writers create a key', async () => {
        const nodes = await Promise.all(['A', 'B', 'C', 'D'].map(connect));
        const outcomes = await Promise.allSettled(
          nodes.map(({ bucket }) => bucket.put('k', bytes(''), { revision: 0 })),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });

      test('accepts revision 0 for a key without a value, even if it had one', async () => {
        const { bucket } = await connect();
        const first = await bucket.put('k', bytes('1'), { revision: 0 });
        await expect(bucket.put('k', bytes('2'), { revision: 0 })).rejects.toMatchObject({ code: 'conflict' });
        await bucket.delete('k');
        const again = await bucket.put('k', bytes('3'), { revision: 0 });
        expect(again).toBeGreaterThan(first);
        expect((await bucket.get('k'))?.value).toEqual(bytes('3'));
      });

      test('rejects a revision that is not the newest, with or without a value', async () => {
        const { bucket } = await connect();
        const first = await bucket.put('k', bytes('1'));
        const second = await bucket.put('k', bytes('2'), { revision: first });
        await expect(bucket.put('k', bytes('3'), { revision: first })).rejects.toMatchObject({ code: 'conflict' });
        await expect(bucket.delete('k', { revision: first })).rejects.toMatchObject({ code: 'conflict' });
        await expect(bucket.delete('k', { revision: 0 })).rejects.toMatchObject({ code: 'conflict' });
        await expect(bucket.put('absent', bytes('3'), { revision: second })).rejects.toMatchObject({
          code: 'conflict',
        });
        expect((await bucket.get('k'))?.value).toEqual(bytes('2'));
      });

      test('deletes a value, with or without an expected revision', async () => {
        const { bucket } = await connect();
        const revision = await bucket.put('k', bytes('1'));
        await bucket.delete('k', { revision });
        expect(await bucket.get('k')).toBeUndefined();
        await bucket.put('k', bytes('2'));
        await bucket.delete('k');
        await bucket.delete('k');
        await bucket.delete('absent', { revision: 0 });
        expect(await bucket.get('k')).toBeUndefined();
      });

      test('rejects a value above the limit with both sizes, and keeps the old one', async () => {
        const { bucket, maxPayloadBytes } = await connect();
        await bucket.put('k', bytes('small'));
        const failure = await bucket.put('k', new Uint8Array(maxPayloadBytes + 1)).catch((error) => error);
        expect(failure).toMatchObject({ code: 'message-too-large' });
        expect(failure.message).toContain(`${maxPayloadBytes + 1}`);
        expect((await bucket.get('k'))?.value).toEqual(bytes('small'));
        const large = new Uint8Array(maxPayloadBytes - 256).fill(7);
        await bucket.put('k', large, { revision: 0 }).catch(() => undefined);
        await bucket.put('k', large);
        expect(Buffer.compare((await bucket.get('k'))?.value ?? new Uint8Array(), large)).toBe(0);
      });

      test('keeps its value when the writer changes its memory later', async () => {
        const { bucket } = await connect();
        const value = bytes('before');
        const writing = bucket.put('k', value);
        value.fill(0);
        await writing;
        expect((await bucket.get('k'))?.value).toEqual(bytes('before'));
      });

      test('rejects with the reason of a signal', async () => {
        const { bucket } = await connect();
        const signal = AbortSignal.abort(new Error('not wanted'));
        await expect(bucket.put('k', bytes(''), { signal })).rejects.toThrow('not wanted');
        await expect(bucket.get('k', { signal })).rejects.toThrow('not wanted');
        await expect(bucket.delete('k', { signal })).rejects.toThrow('not wanted');
        await expect(bucket.watch(idleWatcher, { signal })).rejects.toThrow('not wanted');
        expect(await bucket.get('k')).toBeUndefined();
      });
    });

    describe('a watch', () => {
      test('reports each key that has a value, then the end of the report, then each change in order', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        await a.bucket.put('lease.A', bytes('old'));
        await a.bucket.put('lease.A', bytes('new'));
        await a.bucket.put('server.A.gone', bytes(''));
        await a.bucket.delete('server.A.gone');
        await a.bucket.put('server.A.files', bytes('files'));
        const revision = await a.bucket.put('lease.A', bytes('newest'));

        const watch = watched(b);
        await watch.opened;
        expect(watch.take()).toEqual(['start', 'server.A.files=files', 'lease.A=newest', 'current']);

        await b.bucket.put('lease.B', bytes('1'));
        await a.bucket.delete('lease.A', { revision });
        await a.bucket.put('lease.A', bytes('again'), { revision: 0 });
        await watch.until('lease.A=again');
        expect(watch.take()).toEqual(['lease.B=1', 'lease.A gone', 'lease.A=again']);
      });

      test('of an empty bucket reports the end at once', async () => {
        const watch = watched(await connect());
        await watch.opened;
        expect(watch.take()).toEqual(['start', 'current']);
      });

      test('reports each entry with its revision and time, which grow', async () => {
        const a = await connect();
        const watch = watched(a);
        await watch.opened;
        const revisions = [await a.bucket.put('k', bytes('1')), await a.bucket.put('k', bytes('2'))];
        await a.bucket.delete('k');
        await watch.until('k gone');
        const told = watch.entries();
        expect(told.slice(0, 2).map(({ revision }) => revision)).toEqual(revisions);
        expect(told[2]).toMatchObject({ key: 'k', value: undefined });
        const times = told.map(({ writtenAtMs }) => writtenAtMs);
        expect(times).toEqual(times.toSorted((x, y) => x - y));
      });

      test('misses no write while it opens', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        await Promise.all(Array.from({ length: 50 }, (_, i) => a.bucket.put(`k.${i}`, bytes('before'))));
        const watch = watched(b);
        const writing = Promise.all(Array.from({ length: 100 }, (_, i) => a.bucket.put(`k.${i}`, bytes('after'))));
        await Promise.all([watch.opened, writing]);
        await a.bucket.put('end', bytes(''));
        await watch.until('end=');
        const newest = new Map(watch.entries().map(({ key, value }) => [key, value && text(value)]));
        expect(Array.from({ length: 100 }, (_, i) => newest.get(`k.${i}`))).toEqual(Array(100).fill('after'));
        expect(watch.take().filter((line) => line === 'current')).toHaveLength(1);
      });

      test('stops when disposed', async () => {
        const a = await connect();
        const stopped = watched(a);
        const other = watched(a);
        await Promise.all([stopped.opened, other.opened]);
        stopped.take();
        stopped.stop();
        await a.bucket.put('k', bytes('1'));
        await other.until('k=1');
        expect(stopped.take()).toEqual([]);
      });

      test('continues when its watcher throws, and the error is a warning', async () => {
        const a = await connect();
        await a.bucket.put('k', bytes('1'));
        const thrown = await warnedDuring(async () => {
          await a.bucket.watch({
            onStart() {
              throw new Error('thrown at the start');
            },
            onEntry() {
              throw new Error('thrown by a watcher');
            },
            onCurrent() {
              throw new Error('thrown at the end');
            },
          });
          const other = watched(a);
          await other.opened;
          await a.bucket.put('k', bytes('2'));
          await other.until('k=2');
        }, 4);
        const errors = thrown.map(({ message }) => / threw: (.*)/.exec(message)?.[1]);
        expect(errors.toSorted()).toEqual([
          'Error: thrown at the end',
          'Error: thrown at the start',
          'Error: thrown by a watcher',
          'Error: thrown by a watcher',
        ]);
      });

      test('reports everything again after a reconnect, without keys that were deleted meanwhile', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        await a.bucket.put('stays', bytes('1'));
        await a.bucket.put('changes', bytes('1'));
        await a.bucket.put('vanishes', bytes('1'));
        const watch = watched(b);
        await watch.opened;

        const down = eventOf(b, 'disconnected');
        fleet.cut(b);
        await down;
        watch.take();
        await a.bucket.put('changes', bytes('2'));
        await a.bucket.delete('vanishes');
        await a.bucket.put('appears', bytes('1'));
        expect(watch.take()).toEqual([]);

        fleet.heal(b);
        await watch.until('current');
        const told = watch.take();
        expect([told.at(0), told.at(-1)]).toEqual(['start', 'current']);
        expect(told.slice(1, -1).toSorted()).toEqual(['appears=1', 'changes=2', 'stays=1']);

        await a.bucket.put('stays', bytes('2'));
        await watch.until('stays=2');
        expect(watch.take()).toEqual(['stays=2']);
      });
    });

    describe('a node that is cut off', () => {
      test('reports it, throws at once, and sends nothing later', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        expect(a.isConnected).toBe(true);
        expect(a.failure).toBeUndefined();
        const inbox = heard(b, 'x');
        await b.flush();
        const down = eventOf(a, 'disconnected');
        fleet.cut(a);
        await down;

        expect(a.isConnected).toBe(false);
        expect(a.failure).toMatchObject({ code: 'bus-down', retryable: true });
        expect(failureOf(() => a.publish('x', bytes('lost')))).toMatchObject({ code: 'bus-down', retryable: true });
        const outcomes = await Promise.allSettled([
          a.flush(),
          a.bucket.put('k', bytes('lost')),
          a.bucket.get('k'),
          a.bucket.delete('k'),
          a.bucket.watch(idleWatcher),
        ]);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'bus-down', retryable: true } });
        }

        const up = eventOf(a, 'connected');
        fleet.heal(a);
        await up;
        expect(a.isConnected).toBe(true);
        expect(a.failure).toBeUndefined();
        a.publish('x', bytes('after'));
        expect(text((await inbox.next()).data)).toBe('after');
        expect(await b.bucket.get('k')).toBeUndefined();
      });

      test('keeps its subscriptions after a reconnect, also those added meanwhile', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const before = heard(b, 'before');
        const down = eventOf(b, 'disconnected');
        fleet.cut(b);
        await down;
        const meanwhile = heard(b, 'meanwhile');
        const ended = heard(b, 'before');
        ended.stop();
        const up = eventOf(b, 'connected');
        fleet.heal(b);
        await up;

        a.publish('before', bytes('1'));
        a.publish('meanwhile', bytes('2'));
        expect(text((await before.next()).data)).toBe('1');
        expect(text((await meanwhile.next()).data)).toBe('2');
        expect(ended.all()).toEqual([]);
      });

      test('gets no-responder notices for its requests from the others', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        b.subscribe('call.B.>', () => undefined);
        await b.flush();
        const down = eventOf(b, 'disconnected');
        fleet.cut(b);
        await down;
        // A broker finds out in its own time, and what it is sent before is lost.
        const inbox = heard(a, 'reply.A.*');
        for (let isTold = false; !isTold; ) {
          a.publish('call.B.files.A', bytes('question'), { replyTo: 'reply.A.1' });
          a.publish('reply.A.2', bytes('from myself'));
          isTold = (await inbox.next()).hasNoResponders;
        }
      });
    });

    describe('a broker that restarts', () => {
      test('is reconnected to by every node, with the keys that it kept', async () => {
        const nodes = await Promise.all(['A', 'B'].map(connect));
        const [a, b] = nodes as [FleetBus, FleetBus];
        await a.bucket.put('k', bytes('1'));
        const watch = watched(b);
        await watch.opened;
        watch.take();

        const down = Promise.all(nodes.map((bus) => eventOf(bus, 'disconnected')));
        await harness.stop();
        await down;
        const up = Promise.all(nodes.map((bus) => eventOf(bus, 'connected')));
        await harness.start('kept');
        await up;

        await watch.until('current');
        expect(watch.take()).toEqual(['start', 'k=1', 'current']);
        const inbox = heard(b, 'x');
        await b.flush();
        a.publish('x', bytes('hello'));
        expect(text((await inbox.next()).data)).toBe('hello');
      });

      test('and has lost all keys is reported without the old keys', async () => {
        const nodes = await Promise.all(['A', 'B'].map(connect));
        const [a, b] = nodes as [FleetBus, FleetBus];
        await a.bucket.put('k', bytes('1'));
        const watch = watched(b);
        await watch.opened;
        watch.take();

        const down = Promise.all(nodes.map((bus) => eventOf(bus, 'disconnected')));
        await harness.stop();
        await down;
        const up = Promise.all(nodes.map((bus) => eventOf(bus, 'connected')));
        await harness.start('lost');
        await up;

        await watch.until('current');
        expect(watch.take()).toEqual(['start', 'current']);
        expect(await a.bucket.get('k')).toBeUndefined();
        await a.bucket.put('k', bytes('2'), { revision: 0 });
        await watch.until('k=2');
      });
    });

    describe('closing', () => {
      test('ends everything: what comes later throws closed, and a second call joins the first', async () => {
        const a = await connect();
        const events: unknown[] = [];
        a.onEvent((event) => events.push(event));
        const closing = a.close();
        await Promise.all([closing, a.close()]);
        await a.close();

        expect(a.isConnected).toBe(false);
        expect(a.failure).toMatchObject({ code: 'closed' });
        expect(events).toEqual([{ type: 'closed' }]);
        expect(failureOf(() => a.publish('x', bytes('')))).toMatchObject({ code: 'closed' });
        expect(failureOf(() => a.subscribe('x', () => undefined))).toMatchObject({ code: 'closed' });
        const outcomes = await Promise.allSettled([
          a.flush(),
          a.bucket.put('k', bytes('')),
          a.bucket.get('k'),
          a.bucket.delete('k'),
          a.bucket.watch(idleWatcher),
        ]);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'closed', retryable: false } });
        }
      });

      test('settles everything in progress', async () => {
        const a = await connect();
        const underWay = [a.flush(), a.bucket.put('k', bytes('')), a.bucket.get('k'), a.bucket.watch(idleWatcher)];
        const outcomes = Promise.allSettled(underWay);
        await a.close();
        for (const outcome of await outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'closed' });
        }
      });

      test('ends every subscription', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        const inbox = heard(a, 'x');
        const watch = watched(a);
        await watch.opened;
        watch.take();
        const others = heard(b, 'x');
        await Promise.all([a.flush(), b.flush()]);
        await a.close();
        b.publish('x', bytes('1'));
        await b.bucket.put('k', bytes('1'));
        await others.next();
        expect(inbox.all()).toEqual([]);
        expect(watch.take()).toEqual([]);
      });

      test('succeeds while the bus is cut off', async () => {
        const a = await connect();
        const watch = watched(a);
        await watch.opened;
        const down = eventOf(a, 'disconnected');
        fleet.cut(a);
        await down;
        await a.close();
        fleet.heal(a);
        expect(a.isConnected).toBe(false);
        expect(failureOf(() => a.publish('x', bytes('')))).toMatchObject({ code: 'closed' });
      });

      test('of one node leaves the others alone', async () => {
        const [a, b] = [await connect('A'), await connect('B')];
        await a.bucket.put('k', bytes('1'));
        await a.close();
        expect((await b.bucket.get('k'))?.value).toEqual(bytes('1'));
        expect(b.isConnected).toBe(true);
      });

      test('happens at the end of an await using block', async () => {
        let kept: FleetBus;
        {
          await using bus = await connect();
          kept = bus;
        }
        expect(failureOf(() => kept.publish('x', bytes('')))).toBeInstanceOf(FleetError);
      });
    });
  });
}
