import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CallBody,
  type CallHead,
  encodeRequest,
  readBody,
  readRequest,
  writeBody,
} from '../../../src/calls/wire/call-request.js';
import { type Control, encodeControl, readControl } from '../../../src/calls/wire/controls.js';
import * as replies from '../../../src/calls/wire/replies.js';
import { writeValue } from '../../../src/calls/wire/wire-value.js';
import { FleetError } from '../../../src/errors.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const anyJson = fc.jsonValue({ noUnicodeString: false });
const anyRecord = fc.dictionary(fc.string(), anyJson);
/** As it is after JSON: `-0` is `0` there. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const anyHead = fc.record({
  incarnation: fc.nat(),
  tool: fc.string(),
  timeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  wantsProgress: fc.boolean(),
  principal: fc.string(),
});
const anyBody: fc.Arbitrary<CallBody> = fc.record({
  args: anyRecord,
  meta: optional(anyRecord),
  params: optional(anyRecord),
  inputRequired: optional(fc.constantFrom('answer' as const, 'return' as const)),
  client: optional(fc.record({ number: fc.nat(), capabilities: anyRecord })),
});

/** In any number of bytes. */
function requestOf(head: CallHead, body: CallBody, maxMessageBytes: number) {
  const request = encodeRequest(head, writeBody(body), { maxMessageBytes, maxArgsBytes: 2 ** 20 });
  if (request === undefined) throw new Error('It is longer than any that a test makes');
  return request;
}

describe('a request', () => {
  test('is read as it was written, in one message or with its body apart', () => {
    fc.assert(
      fc.property(anyHead, anyBody, fc.integer({ min: 1, max: 2_000 }), (head, body, maxMessageBytes) => {
        const { message, rest } = requestOf(head, body, maxMessageBytes);
        const request = readRequest(message);
        expect(request).toMatchObject(head);
        const read = rest === undefined ? request.body : readBody(rest);
        expect(plain(read)).toEqual(plain(body));
        expect('bytes' in request ? request.bytes : undefined).toBe(rest?.byteLength);
        if (rest === undefined) expect(message.byteLength).toBeLessThanOrEqual(maxMessageBytes);
      }),
    );
  });

  test('of text that is longer in bytes than in characters still fits its message', () => {
    const body = { args: { text: 'ä'.repeat(100) } };
    const head = { incarnation: 1, tool: 'x', timeoutMs: 1, wantsProgress: false, principal: '' };
    const whole = requestOf(head, body, 10_000).message.byteLength;
    expect(requestOf(head, body, whole).rest).toBeUndefined();
    expect(requestOf(head, body, whole - 1).rest).toEqual(bytesOf(JSON.stringify(body)));
  });

  test('is none when its body is longer than it may be, in bytes alone too', () => {
    const head = { incarnation: 1, tool: 'x', timeoutMs: 1, wantsProgress: false, principal: '' };
    const body = writeBody({ args: { text: 'ä'.repeat(100) } });
    const { byteLength } = bytesOf(body.json);
    const bounds = { maxMessageBytes: 100, maxArgsBytes: byteLength };
    expect(encodeRequest(head, body, bounds)?.rest?.byteLength).toBe(byteLength);
    expect(encodeRequest(head, body, { ...bounds, maxArgsBytes: byteLength - 1 })).toBeUndefined();
  });

  test('has long texts beside its JSON, whether or not its body is apart', () => {
    const body = { args: { text: `"${'ä'.repeat(2_000)}` }, meta: { note: 'x' } };
    const head = { incarnation: 1, tool: 'x', timeoutMs: 1, wantsProgress: false, principal: '' };
    const whole = requestOf(head, body, 10_000);
    expect(whole.rest).toBeUndefined();
    expect(new TextDecoder().decode(whole.message)).toContain(body.args.text);
    expect(readRequest(whole.message)).toMatchObject({ ...head, body });
    const { message, rest = new Uint8Array() } = requestOf(head, body, 1_000);
    expect(readRequest(message)).toMatchObject({ ...head, bytes: rest.byteLength });
    expect(readBody(rest)).toMatchObject(body);
  });

  test('that cannot be written as JSON is refused before anything is sent', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => writeBody({ args: circle })).toThrow(TypeError);
    expect(() => writeBody({ args: { big: 1n } })).toThrow(TypeError);
  });

  const valid = { v: 1, incarnation: 1, tool: 'x', timeoutMs: 1, principal: 'p', args: {} };
  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['of another version', JSON.stringify({ ...valid, v: 2 })],
    ['without incarnation', JSON.stringify({ ...valid, incarnation: undefined })],
    ['without tool', JSON.stringify({ ...valid, tool: 1 })],
    ['without time', JSON.stringify({ ...valid, timeoutMs: 0 })],
    ['with more time than a timer has', JSON.stringify({ ...valid, timeoutMs: 2 ** 31 })],
    ['without arguments', JSON.stringify({ ...valid, args: undefined })],
    ['with arguments that are no object', JSON.stringify({ ...valid, args: [] })],
    ['with arguments of no length', JSON.stringify({ ...valid, bytes: 0 })],
    ['with arguments of half a byte', JSON.stringify({ ...valid, bytes: 0.5 })],
  ])('%s is an invalid message', (_, text) => {
    expect(() => readRequest(bytesOf(text))).toThrow(expect.objectContaining({ code: 'invalid-message' }));
  });

  test('any bytes are a request or an invalid message', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          anyJson.map((value) => bytesOf(JSON.stringify(value))),
        ),
        (bytes) => {
          for (const read of [readRequest, readBody]) {
            try {
              read(bytes);
            } catch (error) {
              expect(error).toBeInstanceOf(FleetError);
            }
          }
        },
      ),
    );
  });
});

describe('a reply', () => {
  test('is read as it was written', () => {
    expect(replies.readReply(replies.accepted)).toEqual({ kind: 'accepted' });
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1 }), fc.string(), anyRecord, (n, bytes, text, record) => {
        const read = (message: Uint8Array) => replies.readReply(message);
        expect(read(replies.encodeCredit(n))).toEqual({ kind: 'credit', upTo: n });
        expect(read(replies.encodeSize(bytes))).toEqual({ kind: 'size', bytes });
        expect(read(replies.encodeCancelledRequest(n))).toEqual({ kind: 'request-cancelled', n });
        expect(read(replies.encodeProgress({ progress: n, total: bytes, message: text }))).toEqual({
          kind: 'progress',
          progress: { progress: n, total: bytes, message: text },
        });
        const question = { kind: 'request', n, method: text, params: plain(record) };
        expect(read(replies.encodeServerRequest(n, text, record))).toEqual(question);
        const final = replies.encodeFinal(writeValue(record), 2 ** 20) ?? new Uint8Array();
        expect(read(final)).toEqual({ kind: 'final', result: plain(record) });
      }),
    );
  });

  test('has the bytes of its text, with any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = JSON.stringify(text);
        expect(replies.encodeFinal(writeValue(text), 2 ** 20)).toEqual(bytesOf(`F${json}`));
      }),
    );
  });

  test('of an unknown kind is ignored', () => {
    expect(replies.readReply(bytesOf('Z{}'))).toBeUndefined();
    expect(replies.readReply(new Uint8Array())).toBeUndefined();
  });

  test.each([
    'F',
    'F{',
    'P',
    'P[]',
    'P{}',
    'S{}',
    'S{"bytes":-1}',
    'S{"bytes":0}',
    'R{}',
    'Q{"n":1}',
    'W{}',
    'E',
    'C123',
  ])('of a known kind that cannot be read is invalid: %s', (text) => {
    expect(replies.readReply(bytesOf(text))).toEqual({ kind: 'invalid' });
  });

  test('reading any bytes throws nothing', () => {
    const letters = fc.constantFrom(...'ARPSCFEQWZ');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.tuple(letters, anyJson).map(([kind, value]) => bytesOf(kind + JSON.stringify(value))),
        ),
        (bytes) => {
          replies.readReply(bytes);
        },
      ),
    );
  });
});

describe('a control', () => {
  const anyId = fc.string();
  const anyAnswer = fc.oneof(
    fc.record({ result: anyRecord.map(plain) }),
    fc.record({ error: fc.record({ message: fc.string(), code: fc.integer(), data: anyJson.map(plain) }) }),
  );
  const anyControl: fc.Arbitrary<Control> = fc.oneof(
    fc.record({ type: fc.constant('cancel' as const), id: anyId }),
    fc.record({ type: fc.constant('credit' as const), id: anyId, upTo: fc.nat() }),
    fc.record({ type: fc.constant('answer' as const), id: anyId, n: fc.nat(), answer: anyAnswer }),
  );

  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyControl, (control) => {
        expect(readControl(encodeControl(control))).toEqual(control);
      }),
    );
  });

  test('reading any bytes throws nothing', () => {
    const values = anyJson.map((value) => bytesOf(JSON.stringify(value)));
    fc.assert(fc.property(fc.oneof(fc.uint8Array(), values), (bytes) => void readControl(bytes)));
  });

  test('a malformed answer is an error response', () => {
    expect(readControl(bytesOf('{"type":"answer","id":"x","n":1,"answer":7}'))).toMatchObject({
      answer: { error: { message: 'The client sent no result' } },
    });
  });
});
